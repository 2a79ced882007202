/** `context`: services by name. */
import { parseUrl } from '../client.ts';
import { type Context, defineCommand, type Group } from '../command.ts';
import { absolute, localContext, readContexts, writeContexts } from '../contexts.ts';
import { CliFailure, exitCode, usageFailure } from '../failure.ts';
import { required } from '../field.ts';

const name = required('name of the context: letters, digits, dots, underscores, hyphens');

function requireName(given: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(given)) {
    throw usageFailure(`'${given}' is no name of a context: 64 letters, digits and ._- at most`);
  }
  if (given === localContext) {
    throw usageFailure(`'${localContext}' is the service of this host, by its local socket`);
  }
}

const add = defineCommand({
  usage: 'add <name>',
  summary: 'Add a context, or change one',
  notes:
    'The token stays in its file, which is read with each command. The first context becomes the current one.',
  examples: [
    [
      '$0 office --url https://dns.example.net:3000 --token-file ~/.zonebook-office',
      'a service elsewhere',
    ],
    ['zonebook zone list --context office', 'asked once'],
  ],
  positionals: { name },
  where: 'own',
  async run({ name: given }, { services, output, target }: Context) {
    requireName(given);
    const { url, tokenFile, caFile } = target;
    if (url === undefined) throw usageFailure('--url has to say where the service is');
    parseUrl(url);
    const saved = await readContexts(services);
    const [token, authorities] = [absolute(tokenFile), absolute(caFile)];
    const context = {
      url,
      ...(token === undefined ? {} : { token_file: token }),
      ...(authorities === undefined ? {} : { ca_file: authorities }),
    };
    const current = saved.current ?? given;
    await writeContexts(services, { current, contexts: { ...saved.contexts, [given]: context } });
    const said = current === given ? ', which commands use now' : '';
    await output.show({ context: { name: given, ...context }, current }, () => {
      return `added context ${given}${said}`;
    });
  },
});

const use = defineCommand({
  usage: 'use <name>',
  summary: 'Make a context the one that commands use',
  notes: `'${localContext}' is the service of this host, by its local socket.`,
  examples: [
    ['$0 office', 'from now on'],
    [`$0 ${localContext}`, 'the service of this host again'],
  ],
  positionals: { name },
  where: 'own',
  async run({ name: given }, { services, output }: Context) {
    const { contexts } = await readContexts(services);
    if (given !== localContext && contexts[given] === undefined) throw unknown(given);
    await writeContexts(services, { current: given === localContext ? null : given, contexts });
    await output.show({ current: given }, () => `commands use ${given} now`);
  },
});

const list = defineCommand({
  usage: 'list',
  summary: 'List contexts',
  examples: [['$0', 'with their URLs; never their tokens']],
  where: 'own',
  async run(_, { services, output }: Context) {
    const { current, contexts } = await readContexts(services);
    const items = Object.entries(contexts).map(([each, context]) => {
      return { name: each, is_current: each === current, ...context };
    });
    await output.show({ current: current ?? localContext, items }, () => {
      if (items.length === 0) return 'no contexts; commands use the service of this host';
      const columns = ['name', ['current', 'is_current'], 'url', 'token_file', 'ca_file'] as const;
      return output.rows(columns, items);
    });
  },
});

const remove = defineCommand({
  usage: 'delete <name>',
  summary: 'Delete a context; its files stay',
  examples: [['$0 office', 'its token stays valid']],
  positionals: { name },
  where: 'own',
  async run({ name: given }, { services, output }: Context) {
    const { current, contexts } = await readContexts(services);
    const { [given]: deleted, ...others } = contexts;
    if (deleted === undefined) throw unknown(given);
    const left = current === given ? null : current;
    await writeContexts(services, { current: left, contexts: others });
    await output.show({ current: left ?? localContext }, () => `deleted context ${given}`);
  },
});

function unknown(given: string): CliFailure {
  const hint = "'zonebook context list' shows those that there are";
  return new CliFailure(exitCode.notFound, `there is no context '${given}'`, hint);
}

export const contexts: Group = {
  name: 'context',
  summary: 'Services by name, for commands about services elsewhere',
  commands: [add, use, list, remove],
};

/** `config`: the configuration on this host: whether it can be used, and what it comes to. */
import { defineCommand, type Group } from '../command.ts';
import { isConfigError } from '../environment.ts';

const check = defineCommand({
  usage: 'check',
  summary: 'Check the configuration: file, environment and arguments',
  examples: [['$0 --config zonebook.toml', 'everything wrong with it at once']],
  notes:
    'Beside each key by itself it looks at the files of TLS, at whether two listeners want one port, and for\n' +
    'ports that are 0, with which the service starts and nobody knows where it listens.',
  where: 'host',
  async run(_, context) {
    try {
      const { configFile, dataDir, examine } = await context.config();
      examine();
      const answer = { usable: true, config_file: configFile ?? null, data_dir: dataDir };
      await context.output.show(answer, () => {
        return `the configuration is usable (${configFile ?? 'built-in defaults'})`;
      });
    } catch (error) {
      if (isConfigError(error) && context.output.format !== 'table') {
        await context.output.show({ usable: false, problems: error.problems }, () => '');
      }
      throw error;
    }
  },
});

const show = defineCommand({
  usage: 'show',
  summary: 'Show the effective configuration with every default',
  notes: 'What is presented as a table is TOML, and reads back as the same configuration.',
  examples: [
    ['$0', 'every key with its meaning'],
    ['$0 -o table > zonebook.toml', 'a file to start from'],
  ],
  where: 'host',
  async run(_, context) {
    const { settings, text } = await context.config();
    await context.output.show(nested(settings), () => text);
  },
});

/** Settings by path as objects in objects: what `api.listen_port` is in TOML. */
function nested(settings: Readonly<Record<string, unknown>>): object {
  const tree: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(settings)) {
    const names = path.split('.');
    const last = names.pop()!;
    let section = tree;
    for (const name of names) {
      section[name] ??= {};
      section = section[name] as Record<string, unknown>;
    }
    section[last] = value ?? null;
  }
  return tree;
}

export const config: Group = {
  name: 'config',
  summary: 'The configuration on this host',
  commands: [check, show],
};

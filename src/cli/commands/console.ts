/** `console` lets a browser in without a token, and `session` tells which browsers are in (interface 4.6). */
import { isIPv6 } from 'node:net';
import type { LoginCode, Session } from '../answers.ts';
import { type Context, defineCommand, type Group } from '../command.ts';
import { usageFailure } from '../failure.ts';
import { listed, passOn } from '../from-contract.ts';
import type { Columns } from '../output.ts';

const columns: Columns<Session> = [
  'id',
  ['by', ({ token_name: token, user }) => token ?? user?.name ?? 'local'],
  'address',
  'opened_at',
  'last_used_at',
  'expires_at',
];

export const openConsole = defineCommand({
  usage: 'console',
  summary: 'Print an address that logs a browser into the console',
  notes:
    'It works once, within a minute, with the rights of this command: all of them over the local socket,\n' +
    'those of the token with --url. Browsers keep a login over HTTPS and from loopback; where the service\n' +
    'runs on another host, `ssh -L 3000:127.0.0.1:3000 HOST` brings it to this one.',
  examples: [['$0', 'an address to open in a browser of this host']],
  async run(_, context) {
    const { output, client } = context;
    const base = await consoleAddress(context);
    const made = await (await client()).post<LoginCode>('/session/codes');
    const { code, expires_at, console_path: path } = made;
    if (path === null)
      throw usageFailure('the service does not serve the console: see api.console');
    const answer = { url: `${base}${path}#login=${code}`, expires_at };
    await output.show(answer, () => answer.url);
  },
});

/** Where browsers reach the service: where this command does, or where the configuration lets it listen. */
async function consoleAddress({ isRemote, client, config }: Context): Promise<string> {
  if (isRemote) return (await client()).address.replace(/\/$/, '');
  const { settings } = await config();
  const port = settings['api.listen_port'];
  if (settings['api.console'] === 'off') throw usageFailure('api.console is off');
  if (port === 0) throw usageFailure('api.listen_port is 0: say --url with the port it listens on');
  const given = String(settings['api.listen_addr']);
  const isEvery = given === '0.0.0.0' || given === '::';
  const address = isEvery ? '127.0.0.1' : isIPv6(given) ? `[${given}]` : given;
  const name = settings['api.host_name'] ?? address;
  const scheme = settings['api.tls_cert_file'] === undefined ? 'http' : 'https';
  return `${scheme}://${name}:${port}`;
}

export const sessions: Group = {
  name: 'session',
  summary: 'Browsers that are logged into the console',
  commands: [
    listed<Session>({
      usage: 'list',
      route: 'listSessions',
      summary: 'List the browsers that are logged in',
      none: 'no browser is logged in',
      show: (items, output) => output.rows(columns, items),
      examples: [['$0', 'each with its token and its last use']],
    }),
    passOn({
      usage: 'close <id>',
      route: 'closeSession',
      summary: 'Log a browser out',
      examples: [['$0 9f8a6c3e5d414c1b', 'by its id of session list']],
    }),
  ],
};

/** `console` lets a browser in without a token, and `session` tells which browsers are in (interface 4.6). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { platform } from 'node:os';
import type { LoginCode, Session } from '../answers.ts';
import { type Context, defineCommand, type Group } from '../command.ts';
import { CliFailure, exitCode, usageFailure } from '../failure.ts';
import { flag } from '../field.ts';
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
    'runs on another host, `ssh -L 3000:127.0.0.1:3000 HOST` brings it to this one. A browser that --open\n' +
    'starts has the address among its arguments, which other users of this host can list.',
  examples: [
    ['$0', 'an address to open in a browser of this host'],
    ['$0 --open', 'opened at once'],
  ],
  options: { open: flag('open it, in BROWSER or what the desktop takes for one') },
  async run({ open }, context) {
    const { output, client } = context;
    const browser = open === true ? browserOf(context) : undefined;
    const base = await consoleAddress(context);
    const made = await (await client()).post<LoginCode>('/session/codes');
    const { code, expires_at, console_path: path } = made;
    if (path === null)
      throw usageFailure('the service does not serve the console: see api.console');
    const answer = { url: `${base}${path}#login=${code}`, expires_at };
    await output.show(answer, () => answer.url);
    if (browser !== undefined) await openIn(browser, answer.url);
  },
});

function browserOf({ services: { env } }: Context): string {
  const hasDesktop = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  const ofDesktop = platform() === 'darwin' ? 'open' : hasDesktop ? 'xdg-open' : undefined;
  const browser = env.BROWSER?.trim() || ofDesktop;
  if (browser !== undefined) return browser;
  throw usageFailure('there is no desktop to open a browser on', 'set BROWSER to a program');
}

/** Starts a program with an address behind its words, and leaves it to itself. */
async function openIn(browser: string, url: string): Promise<void> {
  const [program, ...words] = browser.split(/\s+/);
  const started = spawn(program!, [...words, url], { detached: true, stdio: 'ignore' });
  try {
    await once(started, 'spawn');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such program' : message;
    throw new CliFailure(exitCode.failure, `${program}: ${reason}`, 'open the address by hand');
  }
  started.unref();
}

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

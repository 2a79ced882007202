/**
 * Settings of the adapter, from flags or, where a flag is missing, environment variables (interface 4.9), and
 * the files that they name: the token and the authorities to trust.
 *
 * Refused, with the flag it is about: a URL that is not http or https, an address without port, a
 * timeout that is no whole number of seconds from 1 to 300.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { getCACertificates } from 'node:tls';
import { certificatesIn } from '../base/certificates.ts';
import { reasonOf } from '../base/problem.ts';
import { type Log, type LogLevel, logLevels } from '../telemetry/log.ts';
import { adapterFlags, type FlagName, type FlagValues } from './flags.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface AdapterSettings {
  readonly serviceUrl: URL;
  readonly token: string | undefined;
  /** Takes precedence over `token`. */
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
  readonly listen: Address;
  readonly healthListen: Address;
  readonly timeoutMs: number;
  readonly logLevel: LogLevel;
}

/** A setting, or a file that it names, that can not be used. */
export class AdapterSettingsError extends Error {
  override readonly name = 'AdapterSettingsError';
}

/** Seconds: the controller itself gives up after some tens of them. */
const maxTimeoutSecs = 300;

export function adapterSettings(
  flags: FlagValues,
  environment: Readonly<Record<string, string | undefined>>,
): AdapterSettings {
  const given = (name: FlagName): string | undefined => {
    const { variable, fallback } = adapterFlags[name];
    return flags[name]?.trim() || environment[variable]?.trim() || fallback;
  };
  return {
    serviceUrl: parseUrl(given('svcUrl')),
    token: given('token'),
    tokenFile: given('tokenFile'),
    caFile: given('caFile'),
    listen: parseAddress('listenAddr', given('listenAddr')!),
    healthListen: parseAddress('healthListenAddr', given('healthListenAddr')!),
    timeoutMs: parseTimeout(given('timeoutSecs')!) * 1000,
    logLevel: parseLevel(given('logLevel')!),
  };
}

function wrong(name: FlagName, problem: string): AdapterSettingsError {
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return new AdapterSettingsError(`--${flag} (${adapterFlags[name].variable}) ${problem}`);
}

function parseUrl(text: string | undefined): URL {
  if (text === undefined) throw wrong('svcUrl', 'is missing: the URL of the service');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === undefined || !isWeb || url.username !== '' || url.search !== '') {
    throw wrong('svcUrl', `is like https://dns.example.com:3000, not '${text}'`);
  }
  return url;
}

/** `host:port`, `[2001:db8::1]:port`, or `:port` for every address. */
function parseAddress(name: FlagName, text: string): Address {
  const [, bracketed, hostName, digits] =
    /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text.trim()) ?? [];
  const port = Number(digits);
  const host = bracketed ?? hostName;
  const isHost = bracketed === undefined || isIPv6(bracketed);
  if (host === undefined || !isHost || port > 65_535) {
    throw wrong(name, `is like 127.0.0.1:8888, [::1]:8888 or :8888, not '${text}'`);
  }
  return { host: host === '' ? '::' : host, port };
}

function parseTimeout(text: string): number {
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= maxTimeoutSecs) return seconds;
  throw wrong('timeoutSecs', `is a whole number from 1 to ${maxTimeoutSecs}, not '${text}'`);
}

function parseLevel(text: string): LogLevel {
  const level = logLevels.find((each) => each === text.toLowerCase());
  if (level !== undefined) return level;
  throw wrong('logLevel', `is one of ${logLevels.join(', ')}, not '${text}'`);
}

/**
 * The token the adapter shows to the service: given once, or read from a file that may change.
 *
 * A file is read for every call, which is some a minute: so a token that was replaced, by renaming a link as
 * Kubernetes does too, is used from the next call on. While the file can not be read the last one stands.
 */
export interface TokenSource {
  /** Undefined when the service asks for none. */
  current(): Promise<string | undefined>;
}

export function tokenSource(
  { token, tokenFile }: Pick<AdapterSettings, 'token' | 'tokenFile'>,
  log: Log,
): TokenSource {
  if (tokenFile === undefined) {
    if (token !== undefined && !isToken(token)) {
      throw new AdapterSettingsError('the token is not one word of visible characters');
    }
    return { current: async () => token };
  }
  let last = usable('token', tokenFile, tokenIn);
  return {
    async current() {
      try {
        const now = tokenIn(await readFile(tokenFile, 'utf8'));
        if (now !== last) log.info('external-dns.token-changed', { file: tokenFile });
        last = now;
      } catch (error) {
        log.warn('external-dns.token-not-read', { file: tokenFile, error });
      }
      return last;
    },
  };
}

function tokenIn(text: string): string {
  const token = text.trim();
  if (!isToken(token)) throw new Error('it does not hold one token and nothing else');
  return token;
}

/** One word: a header can hold nothing else. */
function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** In PEM, what Node brings along included: a container often has no roots of its own. */
export function trustedAuthorities(file: string | undefined): readonly string[] {
  const added = file === undefined ? [] : usable('CA', file, certificatesIn);
  return [...new Set([...getCACertificates('default'), ...getCACertificates('system'), ...added])];
}

/** What is read from the text of a file that a setting names. */
function usable<Read>(kind: string, file: string, read: (text: string) => Read): Read {
  try {
    return read(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new AdapterSettingsError(`the ${kind} file ${file} can not be used: ${reasonOf(error)}`);
  }
}

/**
 * Settings of the adapter, from flags or, where a flag is missing, environment variables (interface 4.9).
 *
 * Refused, with the flag it is about: a URL that is not http or https, an address without port, a
 * timeout that is no whole number of seconds from 1 to 300.
 */
import { isIPv6 } from 'node:net';
import { type LogLevel, logLevels } from '../telemetry/log.ts';
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
const greatestTimeoutSecs = 300;

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
  const { flag, variable } = adapterFlags[name];
  return new AdapterSettingsError(`--${flag} (${variable}) ${problem}`);
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
  const [, bracketed, plain, digits] =
    /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text.trim()) ?? [];
  const port = Number(digits);
  const host = bracketed ?? plain;
  const isHost = bracketed === undefined || isIPv6(bracketed);
  if (host === undefined || !isHost || port > 65_535) {
    throw wrong(name, `is like 127.0.0.1:8888, [::1]:8888 or :8888, not '${text}'`);
  }
  return { host: host === '' ? '::' : host, port };
}

function parseTimeout(text: string): number {
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= greatestTimeoutSecs) return seconds;
  throw wrong('timeoutSecs', `is a whole number from 1 to ${greatestTimeoutSecs}, not '${text}'`);
}

function parseLevel(text: string): LogLevel {
  const level = logLevels.find((each) => each === text.toLowerCase());
  if (level !== undefined) return level;
  throw wrong('logLevel', `is one of ${logLevels.join(', ')}, not '${text}'`);
}

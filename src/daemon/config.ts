/**
 * Configuration: a TOML file, variables that override it, and defaults for the rest.
 *
 * The file is the one named by `--config`, else by ZONEBOOK_CONFIG, else `zonebook.toml` in the
 * working folder, else none. Paths are relative to the working folder. Everything that is wrong is
 * refused at once, as one `ConfigError`: unknown keys and variables, wrong kinds, values out of range, a
 * TLS certificate without its key, two ports that disagree, no authentication for other hosts.
 */
import { readFileSync } from 'node:fs';
import { BlockList, isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import type { Checkpoints } from '../journal/checkpoint-owners.ts';
import type { LogFormat, LogLevel } from '../telemetry/log.ts';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import { configKeys } from './config-keys.ts';
import { readArgument, readDocument, readVariables, type Setting } from './config-settings.ts';
import type { ListenAddress } from './config-values.ts';

export { ConfigError, type ConfigProblem } from './config-error.ts';
export { configKeys } from './config-keys.ts';

export interface ListenerConfig {
  readonly listenAddr: string;
  /** 0 takes any free port. */
  readonly listenPort: number;
}

export interface ApiConfig extends ListenerConfig {
  readonly authenticationRequired: boolean;
  readonly metricsEnabled: boolean;
  readonly openapiEnabled: boolean;
  readonly externalDnsEnabled: boolean;
  readonly insecure: boolean;
  /** Lower-case, without a closing dot. */
  readonly hostName: string | undefined;
  readonly maxImportBytes: number;
  readonly maxBodiesBytes: number;
  /** 0 is off. */
  readonly authFailuresPerMinute: number;
  /** Set exactly when tlsKeyFile is. */
  readonly tlsCertFile: string | undefined;
  readonly tlsKeyFile: string | undefined;
}

export interface NotifyConfig {
  readonly batchMs: number;
  readonly retries: number;
  readonly timeoutSecs: number;
}

export interface ZoneDefaults {
  readonly defaultTtl: number;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly minimumTtl: number;
}

export interface DnsConfig extends ListenerConfig {
  readonly answerQueries: boolean;
  /** Lower-case, without a closing dot. */
  readonly catalogZoneName: string;
  readonly rrl: {
    /** 0 is off. */
    readonly responsesPerSecond: number;
    /** 0 drops all. */
    readonly slip: number;
  };
  readonly cookies: boolean;
  readonly nsid: string | undefined;
  readonly nsupdateTsigRequired: boolean;
  readonly notify: NotifyConfig;
  readonly ixfrCondense: boolean;
  /** 0 is off. */
  readonly transferCacheBytes: number;
  readonly tcpMaxConnections: number;
  readonly tcpQueriesInWork: number;
  readonly tcpIdleTimeoutSecs: number;
  readonly import: { readonly timeoutSecs: number; readonly maxRecords: number };
  readonly zoneDefaults: ZoneDefaults;
  /** 0 is off. */
  readonly schedulerIntervalSecs: number;
  /** 0 is for ever. */
  readonly zoneHistoryRetentionDays: number;
  /** 0 is for ever. */
  readonly signerHistoryRetentionDays: number;
}

export interface DatabaseConfig {
  readonly checkpoints: Checkpoints;
  readonly walWarnBytes: number;
  /** 0 is off. */
  readonly verifyIntervalHours: number;
}

export interface Config {
  /** The file that was read, or undefined when there was none. */
  readonly configFile: string | undefined;
  /** Absolute, like every path here. */
  readonly dataDir: string;
  readonly database: DatabaseConfig;
  readonly api: ApiConfig;
  readonly dns: DnsConfig;
  readonly outbound: { readonly deny: readonly string[]; readonly allow: readonly string[] };
  readonly dnssec: { readonly keyEncryptionFile: string };
  readonly logging: { readonly level: LogLevel; readonly format: LogFormat };
}

export interface ConfigRequest {
  /** The file of `--config`; it must exist. */
  readonly file?: string | undefined;
  /** The variables of the process when left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** What other arguments of the command line say; it wins over everything. */
  readonly overrides?: { readonly dataDir?: string | undefined };
}

export function loadConfig(request: ConfigRequest = {}): Config {
  const env = request.env ?? process.env;
  const cwd = request.cwd ?? process.cwd();
  const problems: ConfigProblem[] = [];

  const settings = new Map<string, Setting>();
  const file = findFile(request.file, env.ZONEBOOK_CONFIG, cwd, problems);
  const document = file === undefined ? undefined : parseFile(file, problems);
  if (document !== undefined) readDocument(document, settings, problems);
  readVariables(env, settings, problems);
  readArgument('data_dir', '--data-dir', request.overrides?.dataDir, settings, problems);

  checkTogether(settings, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return build(settings, file?.path, cwd);
}

interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

/** Reads the file that applies; only the one in the working folder may be missing. */
function findFile(
  named: string | undefined,
  fromVariable: string | undefined,
  cwd: string,
  problems: ConfigProblem[],
): ConfigFile | undefined {
  const given = named ?? fromVariable;
  const path = resolve(cwd, given ?? 'zonebook.toml');
  const key = named !== undefined ? '--config' : given === undefined ? path : 'ZONEBOOK_CONFIG';
  try {
    if (given === '') throw new Error('it is empty');
    return { path, text: readFileSync(path, 'utf8') };
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (given === undefined && missing) return undefined;
    const reason = missing ? 'no such file' : (error as Error).message;
    const problem = `${path} cannot be read: ${reason}`;
    problems.push({ key, problem, allowed: 'a readable TOML file' });
    return undefined;
  }
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** True for 127.0.0.0/8 and ::1, the former also in IPv6's form (RFC 4291 2.5.5.2). */
function isLoopback(address: string): boolean {
  return loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

function parseFile(file: ConfigFile, problems: ConfigProblem[]): object | undefined {
  try {
    return parse(file.text, { integersAsBigInt: true });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ''] = error.message.split('\n');
    const problem = `line ${error.line}, column ${error.column}: ${reason}`;
    problems.push({ key: file.path, problem, allowed: 'TOML 1.0' });
    return undefined;
  }
}

/** Rules over several keys. */
function checkTogether(settings: Map<string, Setting>, problems: ConfigProblem[]): void {
  const certificate = settings.has('api.tls_cert_file');
  if (certificate !== settings.has('api.tls_key_file')) {
    const [given, missing] = certificate
      ? ['api.tls_cert_file', 'api.tls_key_file']
      : ['api.tls_key_file', 'api.tls_cert_file'];
    problems.push({
      key: missing,
      problem: `is unset while ${given} is set`,
      allowed: 'both or neither of api.tls_cert_file and api.tls_key_file',
    });
  }
  requireAuthentication(settings, problems);
  for (const section of ['api', 'dns']) takePortOfAddress(section, settings, problems);
}

/** Who reaches a port without authentication may do everything, so that port is not for other hosts. */
function requireAuthentication(settings: Map<string, Setting>, problems: ConfigProblem[]): void {
  if (settings.get('api.authentication_required')?.value !== false) return;
  const given = settings.get('api.listen_addr')?.value as ListenAddress | undefined;
  if (given === undefined || isLoopback(given.address)) return;
  if (settings.get('api.insecure')?.value === true) return;
  problems.push({
    key: 'api.listen_addr',
    problem: `${given.address} is reached by other hosts, and api.authentication_required is false`,
    allowed: 'an address of loopback, authentication, or api.insecure = true',
  });
}

/**
 * Moves the port that an address carries to its own key. Said twice in one place, both must agree;
 * a variable wins over the file, whichever of the two it says the port with.
 */
function takePortOfAddress(
  section: string,
  settings: Map<string, Setting>,
  problems: ConfigProblem[],
): void {
  const address = settings.get(`${section}.listen_addr`);
  const carried = (address?.value as ListenAddress | undefined)?.port;
  if (address === undefined || carried === undefined) return;
  const port = settings.get(`${section}.listen_port`);
  if (port?.layer === address.layer && port.value !== carried) {
    problems.push({
      key: `${section}.listen_port`,
      problem: `${port.value} disagrees with port ${carried} of ${section}.listen_addr`,
      allowed: 'the port in one of the two, or the same in both',
    });
  }
  if (port === undefined || port.layer === 'file') {
    settings.set(`${section}.listen_port`, { value: carried, layer: address.layer });
  }
}

/** Puts settings and defaults into nested objects with names in camel case. */
function build(
  settings: Map<string, Setting>,
  configFile: string | undefined,
  cwd: string,
): Config {
  const config: Record<string, unknown> = { configFile };
  for (const key of configKeys) {
    let value: unknown = settings.get(key.path)?.value ?? key.default;
    if (key.kind === 'path' && typeof value === 'string') value = resolve(cwd, value);
    if (isListenAddress(value)) value = value.address;
    const names = namesOf(key.path);
    const last = names.pop()!;
    sectionAt(config, names)[last] = value;
  }
  const made = config as unknown as Config;
  const keyEncryptionFile = made.dnssec.keyEncryptionFile ?? resolve(made.dataDir, 'keys.key');
  return { ...made, dnssec: { keyEncryptionFile } };
}

function isListenAddress(value: unknown): value is ListenAddress {
  return typeof value === 'object' && !Array.isArray(value);
}

function sectionAt(config: Record<string, unknown>, names: string[]): Record<string, unknown> {
  let section = config;
  for (const name of names) {
    section[name] ??= {};
    section = section[name] as Record<string, unknown>;
  }
  return section;
}

/** The names of a key in a `Config`: `dns.notify.batch_ms` is dns, notify, batchMs. */
export function namesOf(path: string): string[] {
  return path
    .split('.')
    .map((name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
}

/**
 * Configuration: a TOML file, variables that override it, and defaults for the rest.
 *
 * The file is the one named by `--config`, else by ZONEBOOK_CONFIG, else `zonebook.toml` in the
 * working folder, else none. Paths are relative to the working folder. Everything that is wrong is
 * refused at once, as one `ConfigError`: unknown keys and variables, wrong kinds, values out of range, a
 * TLS certificate without its key, two ports that disagree, no authentication for other hosts.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify, TomlError } from 'smol-toml';
import { canonicalAddress, isLoopback } from '../outbound/address.ts';
import { type ConfigKey, type ConfigValues, configKeys, variableOf } from './config-keys.ts';

/**
 * Paths are absolute, names in lower case without a closing dot; 0 turns off what says so in its key's sentence. The
 * two files of TLS are both set or both not.
 */
export interface Config extends ConfigValues {
  /** The file that was read, or undefined when there was none. */
  readonly configFile: string | undefined;
  readonly dnssec: { readonly keyEncryptionFile: string };
}

/** What is wrong with a key, and what it takes instead. */
export interface ConfigProblem {
  /** The key as in TOML, the variable it came from, or the file when that cannot be read. */
  readonly key: string;
  readonly problem: string;
  readonly allowed: string;
}

/** The configuration is unusable; ends the program with exit code 6. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  /** Takes everything that is wrong, at once. */
  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map((each) => `${each.key}: ${each.problem}; allowed: ${each.allowed}`);
    super(`the configuration is unusable\n${lines.map((line) => `  ${line}`).join('\n')}`);
    this.problems = problems;
  }
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

/** Where a value was said; later ones win. */
type Layer = 'file' | 'variable' | 'argument';

interface Setting {
  readonly value: unknown;
  /** The port that the address of a listener carried. */
  readonly port?: number | undefined;
  readonly layer: Layer;
}

const keyOfPath = new Map(configKeys.map((key) => [key.path, key]));
const keyOfVariable = new Map(configKeys.map((key) => [variableOf(key), key]));

/** Variables with our prefix that are not keys: the place of the file, and the client's server. */
const otherVariables = new Set(
  ['CONFIG', 'URL', 'TOKEN', 'CONTEXT', 'REASON', 'REFERENCE', 'HINTS', 'COMMAND'].map(
    (name) => `ZONEBOOK_${name}`,
  ),
);

export function loadConfig(request: ConfigRequest = {}): Config {
  const env = request.env ?? process.env;
  const cwd = request.cwd ?? process.cwd();
  const given = new Settings();
  const file = findFile(request.file, env.ZONEBOOK_CONFIG, cwd, given.problems);
  if (file !== undefined) given.readFile(file);
  given.readVariables(env);
  given.readArgument('data_dir', '--data-dir', request.overrides?.dataDir);
  given.checkTogether();
  if (given.problems.length > 0) throw new ConfigError(given.problems);
  return given.build(file?.path, cwd);
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

/** The values that were given, by key, with the layer that gave them, and everything that is wrong with them. */
class Settings {
  readonly problems: ConfigProblem[] = [];
  readonly #settings = new Map<string, Setting>();

  readFile(file: ConfigFile): void {
    try {
      this.#readSection(parse(file.text, { integersAsBigInt: true }), '');
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const [reason = ''] = error.message.split('\n');
      this.#refuse(file.path, `line ${error.line}, column ${error.column}: ${reason}`, 'TOML 1.0');
    }
  }

  /** Walks the document against the table of keys, so that an unknown one is seen at any depth. */
  #readSection(document: object, section: string): void {
    const prefix = section === '' ? '' : `${section}.`;
    const known = namesIn(prefix);
    for (const [name, value] of Object.entries(document)) {
      const path = prefix + name;
      const key = keyOfPath.get(path);
      if (key !== undefined) {
        this.#take(key, path, value, 'file');
      } else if (!known.has(name)) {
        const level = section === '' ? 'the top level' : `[${section}]`;
        this.#refuse(path, `unknown key in ${level}`, list(known));
      } else if (isSection(value)) {
        this.#readSection(value, path);
      } else {
        this.#refuse(path, 'is not a section', `a section of ${list(namesIn(`${path}.`))}`);
      }
    }
  }

  readVariables(env: Readonly<Record<string, string | undefined>>): void {
    for (const [variable, text] of Object.entries(env)) {
      if (!variable.startsWith('ZONEBOOK_') || otherVariables.has(variable)) continue;
      if (text === undefined) continue;
      const key = keyOfVariable.get(variable);
      if (key !== undefined) {
        this.#take(key, variable, key.fromText?.(text) ?? text, 'variable');
        continue;
      }
      const allowed = 'ZONEBOOK_ and the path of a key in capitals, like ZONEBOOK_API_LISTEN_PORT';
      this.#refuse(variable, 'unknown variable', allowed);
    }
  }

  /** Takes what an argument of the command line says about a key, if it was given. */
  readArgument(path: string, argument: string, text: string | undefined): void {
    if (text !== undefined) this.#take(keyOfPath.get(path)!, argument, text, 'argument');
  }

  #take(key: ConfigKey, level: string, given: unknown, layer: Layer): void {
    const checked = key.check(given);
    if ('problem' in checked) this.#refuse(level, checked.problem, key.allowed);
    else this.#settings.set(key.path, { ...checked, layer });
  }

  #refuse(key: string, problem: string, allowed: string): void {
    this.problems.push({ key, problem, allowed });
  }

  /** Rules over several keys. */
  checkTogether(): void {
    const certificate = this.#settings.has('api.tls_cert_file');
    if (certificate !== this.#settings.has('api.tls_key_file')) {
      const [given, missing] = certificate
        ? ['api.tls_cert_file', 'api.tls_key_file']
        : ['api.tls_key_file', 'api.tls_cert_file'];
      const allowed = 'both or neither of api.tls_cert_file and api.tls_key_file';
      this.#refuse(missing, `is unset while ${given} is set`, allowed);
    }
    this.#requireAuthentication();
    for (const section of ['api', 'dns']) this.#takePortOfAddress(section);
  }

  /** Who reaches a port without authentication may do everything, so that port is not for other hosts. */
  #requireAuthentication(): void {
    if (this.#settings.get('api.authentication_required')?.value !== false) return;
    const given = this.#settings.get('api.listen_addr')?.value as string | undefined;
    if (given === undefined || isLoopback(canonicalAddress(given))) return;
    if (this.#settings.get('api.insecure')?.value === true) return;
    this.#refuse(
      'api.listen_addr',
      `${given} is reached by other hosts, and api.authentication_required is false`,
      'an address of loopback, authentication, or api.insecure = true',
    );
  }

  /**
   * Moves the port that an address carries to its own key. Said twice in one place, both must agree;
   * a variable wins over the file, whichever of the two it says the port with.
   */
  #takePortOfAddress(section: string): void {
    const address = this.#settings.get(`${section}.listen_addr`);
    if (address?.port === undefined) return;
    const { port: carried, layer } = address;
    const port = this.#settings.get(`${section}.listen_port`);
    if (port?.layer === layer && port.value !== carried) {
      this.#refuse(
        `${section}.listen_port`,
        `${port.value} disagrees with port ${carried} of ${section}.listen_addr`,
        'the port in one of the two, or the same in both',
      );
    }
    if (port === undefined || port.layer === 'file') {
      this.#settings.set(`${section}.listen_port`, { value: carried, layer });
    }
  }

  /** Puts settings and defaults into nested objects with names in camel case. */
  build(configFile: string | undefined, cwd: string): Config {
    const config: Record<string, unknown> = { configFile };
    for (const key of configKeys) {
      const value = this.#settings.get(key.path)?.value ?? key.default;
      const names = namesOf(key.path);
      const last = names.pop()!;
      let section = config;
      for (const name of names) {
        section[name] ??= {};
        section = section[name] as Record<string, unknown>;
      }
      section[last] = key.isPath && typeof value === 'string' ? resolve(cwd, value) : value;
    }
    const made = config as unknown as ConfigValues & Pick<Config, 'configFile'>;
    const keyEncryptionFile = made.dnssec.keyEncryptionFile ?? resolve(made.dataDir, 'keys.key');
    return { ...made, dnssec: { keyEncryptionFile } };
  }
}

/** The names of keys and sections in a section; the empty prefix is that of the whole document. */
function namesIn(prefix: string): ReadonlySet<string> {
  const inside = configKeys.filter(({ path }) => path.startsWith(prefix));
  return new Set(inside.map(({ path }) => path.slice(prefix.length).split('.')[0]!));
}

/** True for a table of TOML: arrays and dates are objects too. */
function isSection(value: unknown): value is object {
  const prototype = typeof value === 'object' && value !== null && Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function list(names: ReadonlySet<string>): string {
  return [...names].join(', ');
}

/** The names of a key in a `Config`: `dns.notify.batch_ms` is dns, notify, batchMs. */
function namesOf(path: string): string[] {
  return path
    .split('.')
    .map((name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
}

/** The value of a key in a configuration, by the path it has in TOML. */
function valueAt(config: Config, path: string): unknown {
  return namesOf(path).reduce<unknown>(
    (section, name) => (section as Record<string, unknown>)[name],
    config,
  );
}

/**
 * The effective configuration as TOML, for `zonebook config show`: every key with its sentence. What is printed reads
 * back as the same configuration. No key is secret: secrets sit in files of their own, and only their paths stand here.
 */
export function printConfig(config: Config): string {
  const lines = [`# Read from ${JSON.stringify(config.configFile) ?? 'built-in defaults'}.`];
  for (const [section, keys] of bySection()) {
    if (section !== '') lines.push('', `[${section}]`);
    for (const key of keys) {
      const name = key.path.slice(section === '' ? 0 : section.length + 1);
      const value = valueAt(config, key.path);
      lines.push(`# ${key.doc}`);
      lines.push(value === undefined ? `# ${name} is unset` : stringify({ [name]: value }).trim());
    }
  }
  return `${lines.join('\n')}\n`;
}

/** The table's keys grouped by section, as TOML allows each section to be opened once only. */
function bySection(): Map<string, ConfigKey[]> {
  const sections = new Map<string, ConfigKey[]>();
  for (const key of configKeys) {
    const section = key.path.split('.').slice(0, -1).join('.');
    sections.set(section, [...(sections.get(section) ?? []), key]);
  }
  return sections;
}

/** The values of all keys, by the paths they have in TOML. */
export function settingsOf(config: Config): Record<string, unknown> {
  return Object.fromEntries(configKeys.map(({ path }) => [path, valueAt(config, path)]));
}

/** The keys that only a start reads, and whose values are others than those that the service runs with. */
export function waitingKeys(running: Config, read: Config): string[] {
  const waits = ({ path, isReloaded = false }: ConfigKey) =>
    !isReloaded && !isDeepStrictEqual(valueAt(read, path), valueAt(running, path));
  return configKeys.filter(waits).map(({ path }) => path);
}

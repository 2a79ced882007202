/**
 * Kinds of configuration keys: what each takes, in TOML and in a variable, and what it becomes.
 *
 * Refused: numbers written as text in TOML, fractions, values out of range, addresses that are not
 * IP addresses, empty text and text with control characters.
 */
import { isIP } from 'node:net';
import { labelsOf, NameError, nameBytes, parseAbsoluteName, printLabels } from '../dns/name.ts';
import { isPrefix } from '../outbound/policy.ts';

/** A value that was checked, with the port that the address of a listener carried; or what is wrong with it. */
export type Checked =
  | { readonly value: unknown; readonly port?: number | undefined }
  | { readonly problem: string };

/** A key whose value in a `Config` is a `Value`. */
export interface Key<Value = unknown> {
  readonly doc: string;
  /** Undefined when the key is unset unless given. */
  readonly default: Value;
  /** What it takes: in one word or two, and as a clause for people. */
  readonly range: string;
  readonly allowed: string;
  /** True when SIGHUP re-reads the key; all others wait for a restart. */
  readonly isReloaded?: boolean;
  /** True for a file or folder: relative to the working folder. */
  readonly isPath?: boolean;
  /** Checks a value as TOML gives it; integers come as bigint, so that 1.0 is seen to be none. */
  check(given: unknown): Checked;
  /** What TOML would have given for the text of a variable; the text itself when left out. */
  fromText?(text: string): unknown;
}

export function reloaded<Value>(key: Key<Value>): Key<Value> {
  return { ...key, isReloaded: true };
}

export function integer(standard: number, min: number, max: number, doc: string): Key<number> {
  return {
    doc,
    default: standard,
    range: `${min} to ${max}`,
    allowed: `an integer from ${min} to ${max}`,
    check(given) {
      if (typeof given !== 'bigint') return { problem: `${show(given)} is not an integer` };
      if (given < min || given > max) return { problem: `${given} is out of range` };
      return { value: Number(given) };
    },
    fromText: (text) => (/^-?\d{1,30}$/.test(text) ? BigInt(text) : text),
  };
}

export function port(standard: number, doc: string): Key<number> {
  return integer(standard, 0, 65_535, doc);
}

export function boolean(standard: boolean, doc: string): Key<boolean> {
  return {
    doc,
    default: standard,
    range: 'true, false',
    allowed: 'true or false',
    check: (given) =>
      typeof given === 'boolean'
        ? { value: given }
        : { problem: `${show(given)} is not a boolean` },
    fromText: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
  };
}

export function choice<Choice extends string>(
  standard: NoInfer<Choice>,
  choices: readonly Choice[],
  doc: string,
): Key<Choice> {
  const list = choices.join(', ');
  return {
    doc,
    default: standard,
    range: list,
    allowed: `one of ${list}`,
    check: (given) =>
      choices.some((each) => each === given)
        ? { value: given }
        : { problem: `${show(given)} is unknown` },
  };
}

/**
 * A list of IP addresses and prefixes of them, and of words that stand for some; a variable
 * separates them by commas.
 */
export function addresses(
  standard: readonly string[],
  words: readonly string[],
  doc: string,
): Key<readonly string[]> {
  return {
    doc,
    default: standard,
    range: 'addresses',
    allowed: ['a list of IP addresses and prefixes (192.0.2.1, 2001:db8::/32)', ...words].join(
      ', ',
    ),
    check(given) {
      if (!Array.isArray(given)) return { problem: `${show(given)} is not an array` };
      const wrong = given.find(
        (each) => typeof each !== 'string' || !(words.includes(each) || isPrefix(each)),
      );
      if (wrong !== undefined) return { problem: `${show(wrong)} is no address and no prefix` };
      return { value: given };
    },
    fromText: (text) => (text === '' ? [] : text.split(',').map((each) => each.trim())),
  };
}

/** Kinds that are written as text. */
interface TextKind {
  readonly range: string;
  readonly allowed: string;
  readonly isPath?: boolean;
  checkText(text: string): Checked;
}

function text<Default extends string | undefined>(
  { checkText, ...kind }: TextKind,
  standard: Default,
  doc: string,
): Key<string | Default> {
  return {
    ...kind,
    doc,
    default: standard,
    check: (given) =>
      typeof given === 'string' ? checkText(given) : { problem: `${show(given)} is not a string` },
  };
}

/** A file or folder. */
export function path<Default extends string | undefined>(standard: Default, doc: string) {
  return text(pathKind, standard, doc);
}

/** An IP address of a listener, with or without a port. */
export function address(standard: string, doc: string) {
  return text(addressKind, standard, doc);
}

/** Where pages are, beside the paths of the HTTP interface. */
export function pagePath(standard: string, doc: string) {
  return text(pagePathKind, standard, doc);
}

/** A domain name, in lower case and without closing dot. */
export function name<Default extends string | undefined>(standard: Default, doc: string) {
  return text(nameKind, standard, doc);
}

/** A short text. */
export function line(doc: string) {
  return text(lineKind, undefined, doc);
}

const controls = /[\u0000-\u001f\u007f]/;

const pathKind: TextKind = {
  range: 'path',
  allowed: 'a path, not empty and without control characters',
  isPath: true,
  checkText: (given) => checkPrintable(given),
};

function checkPrintable(given: string): Checked {
  if (given === '') return { problem: 'is empty' };
  if (controls.test(given)) return { problem: `${show(given)} has control characters` };
  return { value: given };
}

/** First segments of the paths of the HTTP interface. */
export const interfaceSegments: ReadonlySet<string> = new Set([
  'access',
  'changes',
  'dnssec-policies',
  'docs',
  'events',
  'external-dns',
  'health',
  'metrics',
  'notify',
  'openapi.json',
  'openapi.yaml',
  'permissions',
  'records',
  'roles',
  'search',
  'secondaries',
  'secondary-states',
  'session',
  'sessions',
  'tokens',
  'tsig-keys',
  'webhooks',
  'zones',
]);

const maxPathBytes = 128;

const pagePathKind: TextKind = {
  range: 'path of a URL',
  allowed:
    'a path such as /console or /dns/console: segments of letters, digits, dots, underscores and hyphens, ' +
    `no slash at the end, at most ${maxPathBytes} bytes, beside the paths of the HTTP interface`,
  checkText(given) {
    const isPath = /^(?:\/[A-Za-z0-9._-]+)+$/.test(given) && !/\/\.+(?:\/|$)/.test(given);
    if (!isPath || given.length > maxPathBytes)
      return { problem: `${show(given)} is no such path` };
    const first = given.split('/')[1]!;
    return interfaceSegments.has(first)
      ? { problem: `/${first} is a path of the HTTP interface` }
      : { value: given };
  },
};

/** Bytes of a text: it is sent with every answer to those who ask for it. */
const maxLineBytes = 128;

const lineKind: TextKind = {
  range: 'text',
  allowed: `a text of 1 to ${maxLineBytes} bytes without control characters`,
  checkText(given) {
    const bytes = Buffer.byteLength(given, 'utf8');
    return bytes > maxLineBytes ? { problem: `has ${bytes} bytes` } : checkPrintable(given);
  },
};

const bracketed = /^\[([^\]]*)\](?::(\d{1,5}))?$/;
const withPort = /^([^:]*):(\d{1,5})$/;

const addressKind: TextKind = {
  range: 'address',
  allowed: 'an IP address, with or without a port (127.0.0.1, 127.0.0.1:3000, ::1, [::1]:3000)',
  checkText(given) {
    const inBrackets = bracketed.exec(given);
    const parts = inBrackets ?? withPort.exec(given);
    const value = parts?.[1] ?? given;
    const version = isIP(value);
    // A zone (fe80::1%eth0) means something on one host only and is no address of RFC 4291.
    if (version === 0 || value.includes('%') || (inBrackets !== null && version === 4)) {
      return { problem: `${show(given)} is not an IP address` };
    }
    const carried = parts?.[2] === undefined ? undefined : Number(parts[2]);
    if (carried !== undefined && carried > 65_535) {
      return { problem: `port ${carried} is out of range` };
    }
    return { value, port: carried };
  },
};

/** Labels as in zone names, so that the catalog and a zone can be compared as text. */
const sectionLabel = /^[a-z0-9_-]+$/;

/**
 * Bytes of a catalog zone's name: a member is `<32 hex digits>.zones` below it, 33 and 6 bytes, and must fit into 255
 * (RFC 9432 4.1).
 */
const maxCatalogBytes = 216;

const nameKind: TextKind = {
  range: 'name',
  allowed: `a domain name of letters, digits, hyphens and underscores, not the root, at most ${maxCatalogBytes} bytes`,
  checkText(given) {
    try {
      const key = parseAbsoluteName(given);
      if (key === '') return { problem: 'is the root' };
      if (!labelsOf(key).every((label) => sectionLabel.test(label))) {
        return { problem: `${show(given)} has a label of other characters` };
      }
      const bytes = nameBytes(key);
      return bytes > maxCatalogBytes
        ? { problem: `has ${bytes} bytes` }
        : { value: printLabels(key) };
    } catch (error) {
      if (!(error instanceof NameError)) throw error;
      return { problem: `${show(given)} ${error.message}` };
    }
  },
};

function show(given: unknown): string {
  if (typeof given === 'bigint' || typeof given === 'number') return String(given);
  if (Array.isArray(given)) return 'an array';
  if (typeof given === 'object' && given !== null) return 'a section';
  return JSON.stringify(given);
}

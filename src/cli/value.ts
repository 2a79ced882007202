/**
 * Values of records: as arguments give them, and as lines show them.
 *
 * A TXT (or a type of the same form) of several words on the command line is several segments; the words of another
 * type are the fields of one value, which the shell took apart. A name that such a value ends in is sent as A-labels.
 */
import { parseType } from '../dns/rrtype.ts';
import { usageFailure } from './failure.ts';
import { asciiName } from './field.ts';
import { onOneLine } from './terminal.ts';

export type RecordValue = string | readonly string[];

/** Types whose value is a name or ends in one. */
const namesAtEnd = new Set(['CNAME', 'DNAME', 'MX', 'NS', 'PTR', 'SRV']);

/** The value that words and `--segment`s stand for; undefined when neither is given. */
export async function valueFromWords(
  type: string | undefined,
  words: readonly string[],
  segments: readonly string[],
): Promise<RecordValue | undefined> {
  if (segments.length > 0) {
    if (words.length > 0) throw usageFailure('a value and --segment exclude each other');
    return segments;
  }
  if (words.length > 1 && (await hasSegments(type))) return words;
  const value = words.length === 0 ? undefined : words.join(' ');
  if (value === undefined || !namesAtEnd.has(type?.toUpperCase() ?? '')) return value;
  return value.replace(/\S+(?=\s*$)/, asciiName);
}

/** The formats of all types are many files: they are loaded only for values of several words. */
async function hasSegments(type: string | undefined): Promise<boolean> {
  const number = type === undefined ? undefined : parseType(type);
  if (number === undefined) return false;
  const { rdataFormatOf } = await import('../dns/rdata/formats.ts');
  return rdataFormatOf(number)?.hasSegments === true;
}

/** A record as it is named on the command line. */
export interface NamedRecord {
  readonly zone: string;
  readonly name: string;
  readonly type?: string | undefined;
  readonly value: RecordValue;
  readonly priority?: number | undefined;
  readonly ttl?: number | undefined;
}

/** Types whose priority is no part of the value here, with the fields that the value has. */
const prioritized: Readonly<Record<string, number>> = { MX: 1, SRV: 3 };

/** Refuses a value that begins with its priority, as in master files, and shows what is meant. */
export function refusePriorityInValue(
  verb: 'create' | 'delete',
  { zone, name, type = '', value, priority, ttl }: NamedRecord,
): void {
  const mnemonic = type.toUpperCase();
  if (typeof value !== 'string') return;
  const [first = '', ...fields] = value.trim().split(/\s+/);
  if (fields.length !== prioritized[mnemonic] || !/^\d+$/.test(first)) return;
  const option = `--priority ${priority ?? first}`;
  const words = [zone, name, type, ...fields].map(shellWord);
  const rest = ttl === undefined ? [option] : [option, `--ttl ${ttl}`];
  throw usageFailure(
    `the priority of ${mnemonic} is not part of the value but an option, ${option}`,
    onOneLine(`write: zonebook record ${verb} ${[...words, ...rest].join(' ')}`),
  );
}

/** A word as it is typed in a shell. */
function shellWord(text: string): string {
  return /^[\w@.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A value on one line: several segments are each in quotes. */
export function showValue(value: RecordValue): string {
  return typeof value === 'string' ? value : value.map(quoted).join(' ');
}

/** Segments as one text that the API parses back to them. */
function quoted(segment: string): string {
  return `"${segment.replace(/["\\]/g, '\\$&')}"`;
}

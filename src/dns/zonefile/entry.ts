/**
 * Reads the text of one entry: a directive, or a record as `[owner] [TTL] [class] type RDATA` with TTL
 * and class in either order (RFC 1035 5.1, RFC 2308 4 for $TTL, RFC 3597 5 for unknown types).
 *
 * Refused with an EntryError: $INCLUDE (it would read files of this machine), $GENERATE and other
 * directives, TTLs with units or above 2147483647, classes besides IN, owners outside the zone, an
 * SOA below the apex, types that are not stored (or skipped, when the caller wants that).
 */
import { limits } from '../../base/limits.ts';
import { excerpt } from '../../base/problem.ts';
import { isBeyondAscii } from '../idn.ts';
import { emptyName, joinNames, type NameKey, printAbsoluteName } from '../name.ts';
import { parseRdataText, RdataError } from '../rdata/rdata.ts';
import { isStorable, parseType, printType, rrtype } from '../rrtype.ts';
import { readSoaFields } from '../soa.ts';
import { EntryError, type FileContext } from './context.ts';
import type { Entry, FileSoa } from './file-record.ts';
import { otherType } from './other-types.ts';
import { Words } from './words.ts';

const classIn = 1;
const classNumbers = new Map([
  ['IN', classIn],
  ['CS', 2],
  ['CH', 3],
  ['HS', 4],
  ['NONE', 254],
  ['ANY', 255],
]);

/** Words before the RDATA. */
interface Header {
  readonly statedTtl: number | undefined;
  readonly type: number;
  readonly mnemonic: string;
  /** True for a mnemonic that has no format here. */
  readonly isOther: boolean;
}

/** Reads an entry; `ownerOmitted` when its first line starts with a blank. */
export function readEntry(
  text: string,
  line: number,
  ownerOmitted: boolean,
  context: FileContext,
  skipUnsupported: boolean,
): Entry {
  const words = new Words(text);
  if (words.rest() === '') return { kind: 'nothing' };
  if (!ownerOmitted && words.rest().startsWith('$')) {
    readDirective(words, context);
    return { kind: 'nothing' };
  }
  const owner = ownerOmitted ? context.ownerBefore() : readOwner(words, context);
  const { statedTtl, type, mnemonic, isOther } = readHeader(words, context);
  if (type === rrtype.SOA) {
    return { kind: 'soa', soa: readSoa(words, line, owner, statedTtl, context) };
  }
  if (!isStorable(type) || (isOther && !isGenericRdata(words))) {
    if (!skipUnsupported) throw notStored(type, mnemonic);
    const name = printAbsoluteName(joinNames(owner, context.apex));
    return { kind: 'skipped', description: `${name} ${mnemonic} is not stored` };
  }
  const rdata = readRdata(type, words, context);
  const ttl = statedTtl ?? context.unstatedTtl();
  return { kind: 'record', record: { owner, type, ttl, rdata, line } };
}

function isGenericRdata(words: Words): boolean {
  return /^\\#(?:[ \t]|$)/.test(words.rest());
}

function notStored(type: number, mnemonic: string): EntryError {
  if (!isStorable(type)) return new EntryError(`type ${mnemonic} is not stored`);
  const form = `write TYPE${type} and the value as \\# length hex (RFC 3597)`;
  return new EntryError(`type ${mnemonic} is not stored in its own form; ${form}`);
}

function readDirective(words: Words, context: FileContext): void {
  const directive = words.next()!;
  const argument = words.next();
  switch (upperCase(directive)) {
    case '$ORIGIN':
      context.setOrigin(onlyArgument(directive, argument, words, 'a name'));
      return;
    case '$TTL':
      context.setDefaultTtl(
        parseTtl('$TTL', onlyArgument(directive, argument, words, 'a number of seconds')),
      );
      return;
    case '$INCLUDE':
      throw new EntryError('$INCLUDE is not read: put the content of that file in its place');
    case '$GENERATE':
      throw new EntryError('$GENERATE is not read: write its records out');
    default:
      throw new EntryError(`directive '${excerpt(directive)}' is not known ($ORIGIN and $TTL are)`);
  }
}

function onlyArgument(
  directive: string,
  argument: string | undefined,
  words: Words,
  what: string,
): string {
  if (argument === undefined || argument.startsWith('"') || words.rest() !== '') {
    throw new EntryError(`${directive.toUpperCase()} takes ${what} and nothing else`);
  }
  return argument;
}

function readOwner(words: Words, context: FileContext): NameKey {
  const text = words.next()!;
  if (!text.startsWith('"')) return context.setOwner(text);
  context.refuseOwner(`owner ${excerpt(text)} is written without quotes`);
  return context.ownerBefore();
}

function readHeader(words: Words, context: FileContext): Header {
  let statedTtl: number | undefined;
  let hasClass = false;
  for (;;) {
    const word = words.next();
    if (word === undefined) throw new EntryError('ends before its type');
    const classNumber = hasClass ? undefined : parseClass(word);
    if (/^\d/.test(word)) {
      if (statedTtl !== undefined) throw new EntryError(`has two TTLs: '${excerpt(word)}'`);
      statedTtl = context.stateTtl(parseTtl('TTL', word));
    } else if (classNumber === undefined) {
      const type = parseType(word);
      if (type !== undefined) return { statedTtl, type, mnemonic: printType(type), isOther: false };
      const other = otherType(word);
      if (other === undefined) throw unknownType(word);
      return { statedTtl, type: other, mnemonic: word.toUpperCase(), isOther: true };
    } else {
      if (classNumber !== classIn) throw new EntryError(`class ${word} is not stored, only IN`);
      hasClass = true;
    }
  }
}

function parseTtl(what: string, text: string): number {
  if (!/^\d+$/.test(text)) {
    const rule = 'is not a number of seconds (units like 1h are not read)';
    throw new EntryError(`${what} '${excerpt(text)}' ${rule}`);
  }
  const seconds = Number(text);
  if (seconds > limits.ttl) {
    throw new EntryError(`${what} ${excerpt(text)} is above ${limits.ttl}`);
  }
  return seconds;
}

/** Words beyond ASCII stay as they are: their upper case can be inside it, like that of the long s. */
function upperCase(word: string): string {
  return isBeyondAscii(word) ? word : word.toUpperCase();
}

function parseClass(word: string): number | undefined {
  const upper = upperCase(word);
  const generic = /^CLASS(\d{1,5})$/.exec(upper);
  return generic === null ? classNumbers.get(upper) : Number(generic[1]);
}

function unknownType(word: string): EntryError {
  if (word.startsWith('$')) {
    return new EntryError(`'${excerpt(word)}' is no type; a directive starts in the first column`);
  }
  return new EntryError(`'${excerpt(word)}' is no record type`);
}

function readRdata(type: number, words: Words, context: FileContext): Buffer {
  try {
    return parseRdataText(type, words.rest(), context.origin);
  } catch (error) {
    if (!(error instanceof RdataError)) throw error;
    throw new EntryError(error.message);
  }
}

function readSoa(
  words: Words,
  line: number,
  owner: NameKey,
  statedTtl: number | undefined,
  context: FileContext,
): FileSoa {
  if (owner !== emptyName) {
    const apex = printAbsoluteName(context.apex);
    throw new EntryError(`an SOA stands only at the apex of the zone, ${apex}`);
  }
  const rdata = readRdata(rrtype.SOA, words, context);
  const fields = readSoaFields(rdata);
  return { line, ttl: statedTtl ?? context.unstatedSoaTtl(fields.minimum), rdata, ...fields };
}

/**
 * Reads the tokens of one entry: a directive, or a record as `[owner] [TTL] [class] type RDATA` with TTL
 * and class in either order (RFC 1035 5.1, RFC 2308 4 for $TTL, RFC 3597 5 for unknown types).
 *
 * Refused with a ZoneFileError or an RdataError: $INCLUDE (it would read files of this machine), $GENERATE
 * and other directives, TTLs with units or above 2147483647, classes besides IN, owners outside the zone, an
 * SOA below the apex, types that are not stored (or skipped, when the caller wants that). Where BIND's
 * named-compilezone makes a file that is read, the refusal names the command.
 */
import { limits } from '../../base/limits.ts';
import { ByteWriter } from '../../base/byte-writer.ts';
import { excerpt } from '../../base/problem.ts';
import { RdataError } from '../error.ts';
import { isBeyondAscii } from '../idn.ts';
import { emptyName, joinNames, type NameKey, printAbsoluteName, relativeTo } from '../name.ts';
import { parseStoredTokens, parseTokens } from '../rdata/rdata.ts';
import {
  maxCodeBytes,
  type Origin,
  originOf,
  quotedText,
  TokenReader,
  wordCode,
} from '../rdata/token-reader.ts';
import {
  foreignType,
  isStorable,
  parseFileType,
  printType,
  rrtype,
  whyUnreadable,
} from '../rrtype.ts';
import { readSoaFields } from '../soa.ts';
import { readNumber } from '../text-bytes.ts';
import type { Tokens } from '../tokens.ts';
import { readName } from '../wire/name.ts';
import { type Entry, type FileSoa, ZoneFileError } from './zone-file.ts';

/** A time as BIND writes it: `1h30m`. */
const hasUnits = /^(?:\d+[wdhms])+$/i;
const timerWithUnits = / is a number from .* not '(?:\d+[wdhms])+'$/i;

const classIn = 1;
const classNumbers = new Map([
  ['IN', classIn],
  ['CS', 2],
  ['CH', 3],
  ['HS', 4],
  ['NONE', 254],
  ['ANY', 255],
]);

/**
 * What an entry takes from the entries before it (RFC 1035 5.1, RFC 2308 4): origin, owner, TTL.
 *
 * A record without TTL gets, as named does it: that of the last $TTL; without any, the TTL stated
 * last; without that either, an SOA gets its own minimum, which then counts as a $TTL, and another
 * record gets the default that the caller gave (named refuses the file there).
 */
export class FileContext {
  readonly apex: NameKey;
  origin: Origin;
  /** The TTL that the first $TTL gave. */
  firstDefaultTtl: number | undefined;

  /** The owner named last, relative to the apex; undefined before the first and after a bad one. */
  #owner: NameKey | undefined;
  #ownerProblem = 'has no owner, and no record stands before it';
  #defaultTtl: number | undefined;
  #statedTtl: number | undefined;
  readonly #fallbackTtl: number;

  constructor(apex: NameKey, fallbackTtl: number) {
    this.apex = apex;
    this.origin = originOf(apex);
    this.#fallbackTtl = fallbackTtl;
  }

  setDefaultTtl(seconds: number): void {
    this.#defaultTtl = seconds;
    this.firstDefaultTtl ??= seconds;
  }

  /** The command of BIND that makes a file that can be read of one with directives or units. */
  get compiler(): string {
    return `named-compilezone -o OUT ${printAbsoluteName(this.apex).replace(/(?<=.)\.$/, '')} FILE`;
  }

  /** Makes the name the owner of this record and of those after it that name none. */
  setOwner(owner: NameKey): NameKey {
    this.#owner = owner;
    return owner;
  }

  /** Records without an owner would belong to this one, so they are refused like it. */
  refuseOwner(reason: string): void {
    this.#owner = undefined;
    this.#ownerProblem = reason;
  }

  ownerBefore(): NameKey {
    if (this.#owner === undefined) throw new ZoneFileError(this.#ownerProblem);
    return this.#owner;
  }

  /** Records that a TTL was stated, for the records after it that state none. */
  stateTtl(seconds: number): number {
    this.#statedTtl = seconds;
    return seconds;
  }

  /** Whether a TTL was stated: a record that states none has that one then, else that of the zone. */
  get knowsTtl(): boolean {
    return (this.#defaultTtl ?? this.#statedTtl) !== undefined;
  }

  /** The TTL of a record that states none. */
  unstatedTtl(): number {
    return this.#defaultTtl ?? this.#statedTtl ?? this.#fallbackTtl;
  }

  /** The TTL of an SOA that states none. */
  unstatedSoaTtl(minimum: number): number {
    const known = this.#defaultTtl ?? this.#statedTtl;
    if (known !== undefined) return known;
    this.#defaultTtl = Math.min(minimum, limits.ttl);
    return this.#defaultTtl;
  }
}

/** A type as an entry names it. */
interface NamedType {
  /** Undefined for a type that other servers made up. */
  readonly type: number | undefined;
  readonly mnemonic: string;
  /** True for a type that is written as `TYPEnn`. */
  readonly isNumbered: boolean;
}

/**
 * The short words that nearly all files have before the RDATA, by their code (wordCode): no string is made
 * of them.
 */
const usualClasses = new Set(['IN', 'in'].map(wordCode));
const usualTypes = new Map<number, NamedType>();
for (const [mnemonic, type] of Object.entries(rrtype)) {
  if (!isStorable(type) || mnemonic.length > maxCodeBytes) continue;
  const named = { type, mnemonic, isNumbered: false };
  usualTypes.set(wordCode(mnemonic), named).set(wordCode(mnemonic.toLowerCase()), named);
}

interface ReadTypes {
  readonly skipUnsupported: boolean;
  /** Of the others none is read. */
  isRead(type: number, isApex: boolean): boolean;
}

export class EntryReader {
  readonly #context: FileContext;
  readonly #types: ReadTypes;
  readonly #tokens: TokenReader;
  readonly #nameWire = new ByteWriter(2 * limits.nameBytes);

  constructor(tokens: Tokens, context: FileContext, types: ReadTypes) {
    this.#tokens = new TokenReader(tokens);
    this.#context = context;
    this.#types = types;
  }

  /** Reads the entry that begins in `line`; `ownerOmitted` when that starts with a blank. */
  read(line: number, ownerOmitted: boolean): Entry {
    const tokens = this.#tokens;
    const context = this.#context;
    tokens.begin('', 0, context.origin);
    if (!tokens.hasMore) return { kind: 'nothing' };
    if (!ownerOmitted && tokens.peekByte() === 0x24) {
      this.#readDirective();
      return { kind: 'nothing' };
    }
    const owner = ownerOmitted ? context.ownerBefore() : this.#readOwner();
    const statedTtl = this.#readTtlAndClass();
    const { type, mnemonic, isNumbered } = this.#readType();
    tokens.begin(mnemonic, tokens.next, context.origin);
    if (type === rrtype.SOA) return { kind: 'soa', soa: this.#readSoa(line, owner, statedTtl) };
    const isApex = owner === emptyName;
    const rdata = this.#readRdata(type, isNumbered, isApex);
    if (type === undefined || rdata === undefined) {
      if (!this.#types.skipUnsupported) throw notStored(mnemonic, type);
      const name = printAbsoluteName(joinNames(owner, context.apex));
      return { kind: 'skipped', description: `${name} ${mnemonic} is not stored` };
    }
    const ttl = statedTtl ?? context.unstatedTtl();
    return { kind: 'record', record: { owner, type, ttl, rdata, line } };
  }

  /** Undefined for types that are not read, and for RDATA that no version can have stored. */
  #readRdata(type: number | undefined, isNumbered: boolean, isApex: boolean): Buffer | undefined {
    const tokens = this.#tokens;
    if (type === undefined || !this.#types.isRead(type, isApex)) return undefined;
    // Our own exports hold so what does not fit the form of its type.
    if (isNumbered && isStorable(type)) return parseStoredTokens(type, tokens);
    if (isStorable(type)) return parseTokens(type, tokens);
    try {
      return parseStoredTokens(type, tokens);
    } catch (error) {
      if (error instanceof RdataError) return undefined;
      throw error;
    }
  }

  #readDirective(): void {
    const directive = this.#takeWord();
    switch (upperCase(directive)) {
      case '$ORIGIN':
        this.#takeArgument(directive, 'a name');
        this.#context.origin = originOf(this.#readName('$ORIGIN'));
        return;
      case '$TTL':
        this.#takeArgument(directive, 'a number of seconds');
        this.#context.setDefaultTtl(this.#readTtl('$TTL'));
        return;
      case '$INCLUDE':
      case '$GENERATE':
        throw new ZoneFileError(
          `${upperCase(directive)} is not read: ${this.#context.compiler} writes a file without it`,
        );
      default:
        throw new ZoneFileError(
          `directive '${excerpt(directive)}' is not known ($ORIGIN and $TTL are)`,
        );
    }
  }

  /** Refuses everything but one word behind the directive. */
  #takeArgument(directive: string, what: string): void {
    const { next, tokens } = this.#tokens;
    if (tokens.count === next + 1 && !tokens.isQuoted(next)) return;
    throw new ZoneFileError(`${directive.toUpperCase()} takes ${what} and nothing else`);
  }

  #readOwner(): NameKey {
    const context = this.#context;
    try {
      if (this.#tokens.isNextQuoted) {
        throw new ZoneFileError(`owner ${excerpt(this.#takeWord())} is written without quotes`);
      }
      const owner = relativeTo(this.#readName('owner'), context.apex);
      if (owner !== undefined) return context.setOwner(owner);
      const zone = printAbsoluteName(context.apex);
      throw new ZoneFileError(
        `owner '${excerpt(quotedText(this.#tokens.text))}' is outside the zone ${zone}`,
      );
    } catch (error) {
      if (error instanceof Error) context.refuseOwner(error.message);
      throw error;
    }
  }

  /** Takes the next word as an absolute name. */
  #readName(label: string): NameKey {
    const wire = this.#nameWire;
    wire.length = 0;
    this.#tokens.name(label, wire);
    return readName(wire.buffer, 0).name;
  }

  /** Reads the words before the type; gives the TTL that is stated. */
  #readTtlAndClass(): number | undefined {
    const tokens = this.#tokens;
    let statedTtl: number | undefined;
    let hasClass = false;
    for (;;) {
      const first = tokens.peekByte();
      if (first !== undefined && first >= 0x30 && first <= 0x39) {
        if (statedTtl !== undefined) {
          throw new ZoneFileError(`has two TTLs: '${excerpt(this.#takeWord())}'`);
        }
        statedTtl = this.#context.stateTtl(this.#readTtl('TTL'));
        continue;
      }
      const code = tokens.peekCode();
      if (hasClass || usualTypes.has(code)) return statedTtl;
      if (!usualClasses.has(code)) {
        const word = tokens.peekWord() ?? '';
        const number = parseClass(word);
        if (number === undefined) return statedTtl;
        if (number !== classIn) throw new ZoneFileError(`class ${word} is not stored, only IN`);
      }
      hasClass = true;
      tokens.next++;
    }
  }

  #readTtl(what: string): number {
    const tokens = this.#tokens;
    tokens.takeWord(what);
    const seconds = readNumber(tokens.bytes, tokens.start, tokens.end);
    return seconds >= 0 && seconds <= limits.ttl ? seconds : this.#parseTtl(what);
  }

  /** The seconds of the word that was taken last, or why it has none. */
  #parseTtl(what: string): number {
    const text = quotedText(this.#tokens.text);
    if (!/^\d+$/.test(text)) {
      const rule = hasUnits.test(text) ? this.#withoutUnits : ' (units like 1h are not read)';
      throw new ZoneFileError(`${what} '${excerpt(text)}' is not a number of seconds${rule}`);
    }
    const seconds = Number(text);
    if (seconds > limits.ttl) {
      throw new ZoneFileError(`${what} ${excerpt(text)} is above ${limits.ttl}`);
    }
    return seconds;
  }

  /** What to do about a time with units, behind what is wrong with it. */
  get #withoutUnits(): string {
    return `: ${this.#context.compiler} writes it as one`;
  }

  #readType(): NamedType {
    if (!this.#tokens.hasMore) throw new ZoneFileError('ends before its type');
    const usual = usualTypes.get(this.#tokens.peekCode());
    if (usual !== undefined) {
      this.#tokens.next++;
      return usual;
    }
    const word = this.#takeWord();
    const type = parseFileType(word);
    if (type === undefined && foreignType(word) === undefined) throw unknownType(word);
    const mnemonic = type === undefined ? word.toUpperCase() : printType(type);
    return { type, mnemonic, isNumbered: /^TYPE/i.test(word) };
  }

  /** Takes the next word as people read it, its quotes included when it is quoted. */
  #takeWord(): string {
    const isQuoted = this.#tokens.isNextQuoted;
    this.#tokens.take('word');
    const text = quotedText(this.#tokens.text);
    return isQuoted ? `"${text}"` : text;
  }

  #readSoa(line: number, owner: NameKey, statedTtl: number | undefined): FileSoa {
    if (owner !== emptyName) {
      const apex = printAbsoluteName(this.#context.apex);
      throw new ZoneFileError(`an SOA stands only at the apex of the zone, ${apex}`);
    }
    const rdata = this.#readSoaRdata();
    const fields = readSoaFields(rdata);
    const ttl = statedTtl ?? this.#context.unstatedSoaTtl(fields.minimum);
    return { line, ttl, rdata, ...fields };
  }

  #readSoaRdata(): Buffer {
    try {
      return parseTokens(rrtype.SOA, this.#tokens);
    } catch (error) {
      if (!(error instanceof RdataError && timerWithUnits.test(error.message))) throw error;
      throw new ZoneFileError(`${error.message}${this.#withoutUnits}`);
    }
  }
}

function notStored(mnemonic: string, type?: number): ZoneFileError {
  const server = foreignType(mnemonic);
  const reason = server === undefined ? whyUnreadable(type ?? 0) : `it belongs to ${server}`;
  const text = `type ${mnemonic} is not stored`;
  return new ZoneFileError(reason === undefined ? text : `${text}: ${reason}`);
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

function unknownType(word: string): ZoneFileError {
  if (word.startsWith('$')) {
    return new ZoneFileError(
      `'${excerpt(word)}' is no type; a directive starts in the first column`,
    );
  }
  return new ZoneFileError(`'${excerpt(word)}' is no record type`);
}

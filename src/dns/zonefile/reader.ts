/**
 * Reads master files (RFC 1035 5.1) as a stream: chunks of bytes or text go in, batches of records
 * come out. Nothing of the file is kept but the entry that is being read and what is refused of it.
 *
 * A bad entry does not stop the reading: it becomes a line of `errors`. A parenthesis that is never
 * closed is reported for the line where its entry begins, and reading goes on from the next line
 * that starts a record, so that the lines it would have swallowed are judged too.
 */
import { ByteWriter } from '../../base/byte-writer.ts';
import { RdataError } from '../error.ts';
import type { NameKey } from '../name.ts';
import { isSigningNote, isStorable, mayBeStored } from '../rrtype.ts';
import { isBlank, Tokens } from '../tokens.ts';
import { EntryReader, FileContext } from './entry.ts';
import { chunkBytes, Lines } from './lines.ts';
import {
  type FileRecord,
  type FileSoa,
  fileLimits,
  ReportedLines,
  ZoneFileError,
} from './zone-file.ts';

export interface ZoneFileOptions {
  /** Absolute name of the zone: what `@` means first, and where all owners have to be. */
  readonly apex: NameKey;
  /** Seconds for records when neither they nor the file say any. */
  readonly defaultTtl: number;
  /** Records of types that are not stored are listed in `skipped` instead of `errors`. */
  readonly skipUnsupported: boolean;
  /** Whether records are read that may only stay where they are stored; left out: unless others are skipped. */
  readonly readsOlder?: boolean;
}

const lineFeed = 0x0a;
const noEnd = 'has an opening parenthesis that is not closed';
const tooLong = `has more than ${fileLimits.entryBytes} bytes`;
const noEndInLimit = `${tooLong}; is a parenthesis not closed?`;
/** Room to begin with for the lines of an entry. */
const usualEntryBytes = 4096;

export class ZoneFileReader {
  readonly errors = new ReportedLines(fileLimits.listedErrors);
  readonly skipped = new ReportedLines(fileLimits.listedSkipped);
  /** The SOA, once it has been read. */
  soa: FileSoa | undefined;
  /** How many records come before every TTL that is stated: they alone have that of the zone. */
  recordsWithoutTtl = 0;

  private readonly context: FileContext;
  private readonly lines = new Lines();
  /** The tokens of the entry that is being read. */
  private readonly tokens = new Tokens();
  private readonly entries: EntryReader;
  private entryLine = 0;
  private ownerOmitted = false;
  /** The lines of an entry that goes on, each with its line end, for reading them again. */
  private readonly open = new ByteWriter(usualEntryBytes);
  private batch: FileRecord[] = [];
  private rereadBytes = 0;
  private readonly bytesOf = chunkBytes();

  constructor(options: ZoneFileOptions) {
    const { apex, defaultTtl, skipUnsupported, readsOlder = !skipUnsupported } = options;
    this.context = new FileContext(apex, defaultTtl);
    const isNew = (type: number, isApex: boolean) =>
      isStorable(type) && !isSigningNote(type, isApex);
    const isRead = readsOlder ? mayBeStored : isNew;
    this.entries = new EntryReader(this.tokens, this.context, { skipUnsupported, isRead });
  }

  /** Seconds of the first $TTL. */
  get firstDefaultTtl(): number | undefined {
    return this.context.firstDefaultTtl;
  }

  /**
   * Reads the next chunk. The batches have to be taken to the end before the next one; the chunk's
   * memory may be used again after that.
   */
  *read(chunk: Uint8Array | string): Generator<FileRecord[]> {
    for (const bytes of this.bytesOf(chunk)) {
      this.lines.feed(bytes);
      while (this.lines.next()) {
        this.readPhysicalLine();
        if (this.batch.length >= fileLimits.batchRecords) yield this.takeBatch();
      }
    }
    if (this.batch.length > 0) yield this.takeBatch();
  }

  /** Reads what the end of the file completes. */
  *end(): Generator<FileRecord[]> {
    for (const bytes of this.bytesOf(undefined)) this.lines.feed(bytes);
    if (this.lines.next() || this.lines.last()) this.readPhysicalLine();
    while (this.isOpen) this.giveUp(noEnd);
    if (this.batch.length > 0) yield this.takeBatch();
  }

  private takeBatch(): FileRecord[] {
    const batch = this.batch;
    this.batch = [];
    return batch;
  }

  /** True while a parenthesis of the entry is open. */
  private get isOpen(): boolean {
    return this.tokens.depth > 0;
  }

  private readPhysicalLine(): void {
    const { bytes, start, end, number, isTooLong } = this.lines;
    while (this.isOpen && (isTooLong || this.open.length + end - start >= fileLimits.entryBytes)) {
      this.giveUp(noEndInLimit);
    }
    if (isTooLong) this.errors.add(number, tooLong);
    else this.readLine(bytes, start, end, number);
  }

  private readLine(bytes: Buffer, start: number, end: number, number: number): void {
    const { tokens, open } = this;
    const goesOn = this.isOpen;
    if (!goesOn) {
      if (start === end) return;
      tokens.clear();
      open.length = 0;
      this.entryLine = number;
      this.ownerOmitted = isBlank(bytes[start]);
    }
    if (this.lines.mayHoldNul && bytes.subarray(start, end).includes(0)) {
      tokens.refuse('has a byte 0 (NUL)');
    }
    if (goesOn) {
      const openStart = this.keepLine(bytes, start, end);
      tokens.addLine(open.buffer, openStart, openStart + end - start);
    } else {
      tokens.addLine(bytes, start, end);
      if (this.isOpen) {
        this.keepLine(bytes, start, end);
        tokens.moveTo(open.buffer, start);
      }
    }
    if (!this.isOpen) this.finishEntry();
  }

  /** Copies a line of an open entry, and its line end; gives where it stands. */
  private keepLine(bytes: Buffer, start: number, end: number): number {
    const { open } = this;
    const openStart = open.length;
    open.add(bytes.subarray(start, end));
    open.room(1)[open.length++] = lineFeed;
    return openStart;
  }

  private finishEntry(): void {
    const line = this.entryLine;
    try {
      if (this.tokens.problem !== undefined) throw new ZoneFileError(this.tokens.problem);
      const entry = this.entries.read(line, this.ownerOmitted);
      if (entry.kind === 'record') this.takeRecord(entry.record);
      else if (entry.kind === 'soa') this.takeSoa(entry.soa);
      else if (entry.kind === 'skipped') this.skipped.add(line, entry.description);
    } catch (error) {
      if (!(error instanceof ZoneFileError || error instanceof RdataError)) throw error;
      this.errors.add(line, error.message);
    }
  }

  private takeRecord(record: FileRecord): void {
    this.batch.push(record);
    if (!this.context.knowsTtl) this.recordsWithoutTtl++;
  }

  /** A dump of a transfer ends in the SOA it began with; any other second SOA is a mistake. */
  private takeSoa(soa: FileSoa): void {
    if (this.soa === undefined) {
      this.soa = soa;
    } else if (!this.soa.rdata.equals(soa.rdata) || this.soa.ttl !== soa.ttl) {
      throw new ZoneFileError(`is a second SOA, unlike the one in line ${this.soa.line}`);
    }
  }

  /** Ends an entry that does not end by itself, and reads the lines below it once more. */
  private giveUp(reason: string): void {
    const line = this.entryLine;
    const lines = Buffer.from(this.open.buffer.subarray(0, this.open.length));
    this.errors.add(line, this.tokens.problem ?? reason);
    this.tokens.clear();
    this.rereadBytes += lines.length;
    if (this.rereadBytes > fileLimits.rereadBytes) return;
    let isWithin = true;
    let number = line;
    for (let start = 0; start < lines.length; number++) {
      const end = lines.indexOf(lineFeed, start);
      // Lines that start with a blank or a parenthesis are what was meant to be inside.
      if (isWithin) isWithin = number === line || isContinuation(lines[start]!);
      if (!isWithin) this.readLine(lines, start, end, number);
      start = end + 1;
    }
  }
}

function isContinuation(firstByte: number): boolean {
  return ' \t)\n;'.includes(String.fromCharCode(firstByte));
}

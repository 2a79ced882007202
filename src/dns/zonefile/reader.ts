/**
 * Reads master files (RFC 1035 5.1) as a stream: chunks of octets or text go in, batches of records
 * come out. Nothing of the file is kept but the entry that is being read and what is refused of it.
 *
 * A bad entry does not stop the reading: it becomes a line of `errors`. A parenthesis that is never
 * closed is reported for the line where its entry begins, and reading goes on from the next line
 * that starts a record, so that the lines it would have swallowed are judged too.
 */
import type { NameKey } from '../name.ts';
import { EntryError, FileContext } from './context.ts';
import { readEntry } from './entry.ts';
import { EntryText } from './entry-text.ts';
import { FastLine } from './fast-line.ts';
import { fileLimits } from './file-limits.ts';
import type { FileRecord, FileSoa } from './file-record.ts';
import { Findings } from './findings.ts';
import { Lines } from './lines.ts';
import { textOctets } from './text-octets.ts';

export interface ZoneFileOptions {
  /** Absolute name of the zone: what `@` means first, and where all owners have to be. */
  readonly apex: NameKey;
  /** Seconds for records when neither they nor the file say any. */
  readonly defaultTtl: number;
  /** Records of types that are not stored are listed in `skipped` instead of `errors`. */
  readonly skipUnsupported: boolean;
}

const lineFeed = 0x0a;
const noEnd = 'has an opening parenthesis that is not closed';
const tooLong = `has more than ${fileLimits.entryOctets} octets`;
const noEndInLimit = `${tooLong}; is a parenthesis not closed?`;

export class ZoneFileReader {
  readonly errors = new Findings(fileLimits.listedErrors);
  readonly skipped = new Findings(fileLimits.listedSkipped);
  /** The SOA, once it has been read. */
  soa: FileSoa | undefined;

  private readonly context: FileContext;
  private readonly skipUnsupported: boolean;
  private readonly lines = new Lines();
  private readonly entry = new EntryText();
  private readonly fastLine: FastLine;
  private ownerOmitted = false;
  private batch: FileRecord[] = [];
  private rereadOctets = 0;
  private readonly octetsOf = textOctets();

  constructor(options: ZoneFileOptions) {
    this.context = new FileContext(options.apex, options.defaultTtl);
    this.fastLine = new FastLine(this.context);
    this.skipUnsupported = options.skipUnsupported;
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
    for (const octets of this.octetsOf(chunk)) {
      this.lines.feed(octets);
      while (this.lines.next()) {
        this.readPhysicalLine();
        if (this.batch.length >= fileLimits.batchRecords) yield this.takeBatch();
      }
    }
    if (this.batch.length > 0) yield this.takeBatch();
  }

  /** Reads what the end of the file completes. */
  *end(): Generator<FileRecord[]> {
    for (const octets of this.octetsOf(undefined)) this.lines.feed(octets);
    if (this.lines.next() || this.lines.last()) this.readPhysicalLine();
    while (this.entry.isOpen) this.giveUp(noEnd);
    if (this.batch.length > 0) yield this.takeBatch();
  }

  private takeBatch(): FileRecord[] {
    const batch = this.batch;
    this.batch = [];
    return batch;
  }

  private readPhysicalLine(): void {
    const { octets, start, end, number } = this.lines;
    const isTooLong = this.lines.tooLong;
    while (this.entry.isOpen && (isTooLong || this.entry.isFull(end - start))) {
      this.giveUp(noEndInLimit);
    }
    if (isTooLong) this.errors.add(number, tooLong);
    else this.readLine(octets, start, end, number);
  }

  private readLine(octets: Buffer, start: number, end: number, number: number): void {
    if (!this.entry.isOpen) {
      if (start === end) return;
      const record = this.fastLine.read(octets, start, end, number);
      if (record !== undefined) {
        this.batch.push(record);
        return;
      }
      this.entry.begin(number);
      this.ownerOmitted = octets[start] === 0x20 || octets[start] === 0x09;
    }
    this.entry.addLine(octets, start, end);
    if (!this.entry.isOpen) this.finishEntry();
  }

  private finishEntry(): void {
    const { text, line, refusal } = this.entry;
    try {
      if (refusal !== undefined) throw new EntryError(refusal);
      const entry = readEntry(text, line, this.ownerOmitted, this.context, this.skipUnsupported);
      if (entry.kind === 'record') this.batch.push(entry.record);
      else if (entry.kind === 'soa') this.takeSoa(entry.soa);
      else if (entry.kind === 'skipped') this.skipped.add(line, entry.description);
    } catch (error) {
      if (!(error instanceof EntryError)) throw error;
      this.errors.add(line, error.message);
    }
  }

  /** A dump of a transfer ends in the SOA it began with; any other second SOA is a mistake. */
  private takeSoa(soa: FileSoa): void {
    if (this.soa === undefined) {
      this.soa = soa;
    } else if (!this.soa.rdata.equals(soa.rdata) || this.soa.ttl !== soa.ttl) {
      throw new EntryError(`is a second SOA, unlike the one in line ${this.soa.line}`);
    }
  }

  /** Ends an entry that does not end by itself, and reads the lines below it once more. */
  private giveUp(reason: string): void {
    const { line, refusal } = this.entry;
    const lines = this.entry.rawLines();
    this.errors.add(line, refusal ?? reason);
    this.entry.begin(line);
    this.rereadOctets += lines.length;
    if (this.rereadOctets > fileLimits.rereadOctets) return;
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

function isContinuation(firstOctet: number): boolean {
  return ' \t)\n;'.includes(String.fromCharCode(firstOctet));
}

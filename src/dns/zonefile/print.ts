/**
 * Prints a zone as a master file (RFC 1035 5.1): a comment that names the zone and its serial, $ORIGIN,
 * $TTL, the SOA, the NS of the apex, then everything else in canonical order; DNSSEC records, where
 * they are asked for, after all others.
 *
 * Every record has its owner (relative, `@` for the apex), TTL and class, and names in values are
 * absolute, so that a line means the same wherever it is pasted. All is written as other servers read it
 * (printPortable). What they do not read by its name is in the generic form of RFC 3597.
 * The same zone gives the same file, byte by byte.
 */
import { emptyName, type NameKey, portableName, printAbsoluteName, printLabels } from '../name.ts';
import { printPortable } from '../rdata/rdata.ts';
import { type ResourceRecord, unpackRecords } from '../record.ts';
import { dnssecTypes, rrtype } from '../rrtype.ts';
import { fileLimits } from './zone-file.ts';

/** What a file says besides the records. */
export interface ZoneFileHead {
  readonly apex: NameKey;
  readonly serial: number;
  /** Seconds; also the TTL of the SOA. */
  readonly defaultTtl: number;
  /** RDATA of the SOA. */
  readonly soa: Buffer;
}

/** Collects lines into pieces, those of the apex's NS before all other records. */
class Printer {
  private text: string;
  /** Lines of the apex that have to wait for its NS; undefined once the apex has been left. */
  private waiting: string[] | undefined = [];

  constructor(start: string) {
    this.text = start;
  }

  add(owner: string, type: number, line: string): void {
    if (this.waiting !== undefined) {
      if (owner !== '@') this.leaveApex();
      else if (type !== rrtype.NS) {
        this.waiting.push(line);
        return;
      }
    }
    this.text += line;
  }

  /** The text so far when it is worth handing over. */
  takePiece(): string | undefined {
    return this.text.length >= fileLimits.pieceCharacters ? this.take() : undefined;
  }

  /** All that is left. */
  takeRest(): string {
    this.leaveApex();
    return this.take();
  }

  private take(): string {
    const piece = this.text;
    this.text = '';
    return piece;
  }

  leaveApex(): void {
    for (const line of this.waiting ?? []) this.text += line;
    this.waiting = undefined;
  }
}

/**
 * The file in pieces of some ten thousand characters, all of them ASCII. `records` are in canonical
 * order and hold no SOA: single ones, or packed ones one after the other. DNSSEC records among them are
 * left out; those of the last parameter, whose other records are left out, are appended.
 */
export function* printZoneFile(
  head: ZoneFileHead,
  records: Iterable<Buffer | ResourceRecord>,
  dnssec: Iterable<Buffer | ResourceRecord> = [],
): Generator<string> {
  const printer = new Printer(printHead(head));
  yield* printLayer(printer, records, false);
  printer.leaveApex();
  yield* printLayer(printer, dnssec, true);
  yield printer.takeRest();
}

function* printLayer(
  printer: Printer,
  records: Iterable<Buffer | ResourceRecord>,
  isDnssec: boolean,
): Generator<string> {
  let ownerKey = emptyName;
  let ownerText = '@';
  for (const item of records) {
    for (const { owner, type, ttl, rdata } of Buffer.isBuffer(item)
      ? unpackRecords(item)
      : [item]) {
      if (dnssecTypes.has(type) !== isDnssec) continue;
      if (owner !== ownerKey) {
        ownerKey = owner;
        ownerText = owner === emptyName ? '@' : portableName(printLabels(owner));
      }
      printer.add(ownerText, type, printLine(ownerText, type, ttl, rdata));
      const piece = printer.takePiece();
      if (piece !== undefined) yield piece;
    }
  }
}

function printHead({ apex, serial, defaultTtl, soa }: ZoneFileHead): string {
  const name = printAbsoluteName(apex);
  const comment = `; zone ${name.slice(0, -1)} serial ${serial} exported by zonebook\n`;
  const soaLine = printLine('@', rrtype.SOA, defaultTtl, soa);
  return `${comment}$ORIGIN ${name}\n$TTL ${defaultTtl}\n${soaLine}`;
}

function printLine(owner: string, type: number, ttl: number, rdata: Buffer): string {
  return `${owner}\t${ttl}\tIN\t${printPortable(type, rdata)}\n`;
}

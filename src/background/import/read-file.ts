/** What an import brings: the records of a master file, or of a transfer from another server. */
import { systemClock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { emptyName, type NameKey, printRelativeName } from '../../dns/name.ts';
import {
  foreignType,
  isStorable,
  mayBeStored,
  printType,
  transferredForeign,
  whyUnreadable,
} from '../../dns/rrtype.ts';
import { readSoaFields } from '../../dns/soa.ts';
import { exchangesWith, type TsigExchange } from '../../dns/wire/tsig-exchange.ts';
import { TsigKey } from '../../dns/wire/tsig-key.ts';
import { ZoneFileReader } from '../../dns/zonefile/reader.ts';
import { type FileSoa, ReportedLines, fileLimits } from '../../dns/zonefile/zone-file.ts';
import type { ImportedZone } from '../../domain/command.ts';
import { importedZoneOf } from '../../domain/imported-zone.ts';
import { Outbound, OutboundPolicy } from '../../outbound/policy.ts';
import { fetchZone } from '../../outbound/zone-fetch.ts';
import { FileTable } from './file-table.ts';
import type { FileRead, ImportSource, TransferKey } from './protocol.ts';

export interface ReadFile {
  readonly records: FileTable;
  readonly soa: FileSoa | undefined;
  /** How many of the first records have the TTL of the zone. */
  readonly withoutTtl: number;
  /** Seconds of the first $TTL. */
  readonly firstDefaultTtl: number | undefined;
  readonly errors: readonly string[];
  readonly skipped: readonly string[];
  readonly skippedCount: number;
}

export interface ReadOptions {
  readonly apex: NameKey;
  readonly defaultTtl: number;
  readonly skipUnsupported: boolean;
  readonly readsOlder?: boolean;
}

/** What the SOA says of a zone that is made of it. */
export function importedZoneIn(source: ReadFile): ImportedZone | undefined {
  const { soa, firstDefaultTtl, skippedCount } = source;
  return soa && importedZoneOf(soa, firstDefaultTtl, skippedCount);
}

/** What is reported of it, with its records where they are not more than `max`. */
export function fileReadOf(source: ReadFile, max: number): FileRead {
  const { records, withoutTtl, errors, skipped, skippedCount } = source;
  const { count } = records;
  return {
    report: { errors, skipped, skippedCount, parsed: count },
    soa: importedZoneIn(source),
    count,
    withoutTtl,
    records: count > max ? undefined : [...records.records()],
  };
}

/** Bytes fed to the reader at a time. */
const chunkBytes = 256 * 1024;

export function readSource(source: string | Uint8Array, options: ReadOptions): ReadFile {
  const reader = new ZoneFileReader(options);
  const records = new FileTable();
  const take = (batches: ReturnType<ZoneFileReader['end']>) => {
    for (const batch of batches) for (const record of batch) records.add(record);
  };
  for (let start = 0; start < source.length; start += chunkBytes) {
    take(reader.read(pieceOf(source, start)));
  }
  take(reader.end());
  const { errors, skipped, soa, firstDefaultTtl, recordsWithoutTtl: withoutTtl } = reader;
  return {
    records,
    soa,
    withoutTtl,
    firstDefaultTtl,
    errors: errors.lines,
    skipped: skipped.lines,
    skippedCount: skipped.count,
  };
}

/** Bytes are not copied: nothing of them is kept. */
function pieceOf(source: string | Uint8Array, start: number): string | Uint8Array {
  const end = start + chunkBytes;
  return typeof source === 'string' ? source.slice(start, end) : source.subarray(start, end);
}

/** `more` is called for each further share that the zone needs while it comes in, and may throw. */
export async function readServer(
  source: ImportSource & { kind: 'server' },
  { apex, skipUnsupported }: ReadOptions,
  more: () => Promise<void>,
): Promise<ReadFile> {
  const errors = new ReportedLines(fileLimits.listedErrors);
  const skipped = new ReportedLines(fileLimits.listedSkipped);
  const records = new FileTable();
  let soa: FileSoa | undefined;
  const { server, tsigKey, shareBytes } = source;
  const signer = tsigKey && signerOf(tsigKey);
  const outbound = new Outbound(new OutboundPolicy(source.outbound));
  let shares = 1;
  for await (const part of fetchZone({ ...source, apex, signer, outbound })) {
    if (part.kind === 'soa') {
      soa = { line: 0, ttl: part.ttl, rdata: part.rdata, ...readSoaFields(part.rdata) };
      continue;
    }
    for (; part.bytes > shares * shareBytes; shares++) await more();
    for (const { owner, type, ttl, rdata } of part.records) {
      const foreign = transferredForeign(type, owner === emptyName);
      const isRead = skipUnsupported ? isStorable(type) : mayBeStored(type);
      if (isRead && foreign === undefined) {
        if (ttl > limits.ttl) errors.add(0, `a ${printType(type)} record has the TTL ${ttl}`);
        else records.add({ owner, type, ttl, rdata, line: 0 });
        continue;
      }
      const reason = foreign ? `it belongs to ${foreignType(foreign)}` : whyUnreadable(type);
      const fact = `${printRelativeName(owner)} ${foreign ?? printType(type)} is not stored`;
      const text = reason === undefined ? fact : `${fact}: ${reason}`;
      (skipUnsupported ? skipped : errors).add(0, text);
    }
  }
  if (soa === undefined) throw new Problem('INVALID_INPUT', `from_server: ${server} sent no SOA`);
  return {
    records,
    soa,
    withoutTtl: 0,
    firstDefaultTtl: undefined,
    errors: errors.lines,
    skipped: skipped.lines,
    skippedCount: skipped.count,
  };
}

/** Each address that is tried gets an exchange of its own. */
function signerOf({ name, algorithm, secret }: TransferKey): () => TsigExchange {
  const key = new TsigKey({ name, algorithm, secret: Buffer.from(secret) });
  return exchangesWith(key, systemClock);
}

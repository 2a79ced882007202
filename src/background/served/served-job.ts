/**
 * The job of a worker that compares what a secondary serves of a zone with the zone as it was at that serial.
 *
 * ```
 *   AXFR of the secondary -> sums at its serial -> sums of now, by the changes since -> compared with the blocks of now
 * ```
 * The changes and the blocks are of one snapshot, opened when the transfer has ended, so a zone that changes meanwhile
 * makes no difference. Nothing is kept of a record but its share of a sum (rrset-sums.ts).
 */
import { systemClock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { emptyName, joinNames, parseAbsoluteName, printAbsoluteName } from '../../dns/name.ts';
import { unpackRecords } from '../../dns/record.ts';
import { printType, rrtype } from '../../dns/rrtype.ts';
import { readSoaFields } from '../../dns/soa.ts';
import { exchangesWith, type TsigExchange } from '../../dns/wire/tsig-exchange.ts';
import { TsigKey, type TsigKeyFields } from '../../dns/wire/tsig-key.ts';
import { soaRdata, type Zone } from '../../domain/zone.ts';
import { Outbound, OutboundPolicy, type OutboundRules } from '../../outbound/policy.ts';
import { fetchZone } from '../../outbound/zone-fetch.ts';
import { type Difference, type Snapshot, SnapshotPool } from '../../query/snapshot.ts';
import { RrsetSums } from './rrset-sums.ts';

export interface ServedQuestion {
  readonly zone: Pick<Zone, 'id' | 'name'>;
  /** host:port of the secondary. */
  readonly server: string;
  /** Signs the transfer. */
  readonly tsigKey: TsigKeyFields | undefined;
  readonly outbound: OutboundRules;
  readonly bounds: TransferBounds;
}

/** What a server may take and send. */
export interface TransferBounds {
  /** The SOA not counted. */
  readonly records: number;
  /** Of names and RDATA. */
  readonly bytes: number;
  /** Milliseconds of the whole transfer. */
  readonly totalMs: number;
  /** Milliseconds without a byte. */
  readonly silenceMs: number;
}

export interface ServedReport {
  readonly result: 'same' | 'differs' | 'unknown';
  /** Of the SOA that the secondary sent; null where none came. */
  readonly serial: number | null;
  /** RRsets that the zone or the secondary has, the SOA one of them. */
  readonly compared: number;
  readonly missing: number;
  readonly extra: number;
  readonly differing: number;
  /** The first of those, in canonical order. */
  readonly rrsets: readonly {
    /** Absolute. */
    readonly name: string;
    readonly type: string;
    readonly difference: 'missing' | 'extra' | 'differing';
  }[];
  /** The secondary answered that it does not send the zone. */
  readonly isRefused: boolean;
  /** Why nothing was compared; null where something was. */
  readonly error: string | null;
}

/** Why nothing can be compared; the message says so. */
class Incomparable extends Error {
  readonly isRefused: boolean;

  constructor(message: string, isRefused = false) {
    super(message);
    this.isRefused = isRefused;
  }
}

/** What came of a transfer. */
interface Received {
  readonly serial: number;
  readonly soa: { readonly ttl: number; readonly rdata: Buffer };
  readonly sums: RrsetSums;
}

const nothingCompared = { compared: 0, missing: 0, extra: 0, differing: 0, rrsets: [] };

export class ServedJob {
  readonly #file: string;

  /** `file`: the database. */
  constructor(file: string) {
    this.#file = file;
  }

  async compare(question: ServedQuestion): Promise<ServedReport> {
    let received: Received | undefined;
    try {
      received = await receive(question);
      return this.#compared(question.zone, received);
    } catch (error) {
      if (!(error instanceof Incomparable)) throw error;
      const { message, isRefused } = error;
      const serial = received?.serial ?? null;
      return { result: 'unknown', serial, ...nothingCompared, isRefused, error: message };
    }
  }

  #compared(wanted: ServedQuestion['zone'], received: Received): ServedReport {
    const pool = new SnapshotPool(this.#file, 1);
    const snapshot = pool.open();
    try {
      const zone = snapshot.zoneByName(wanted.name);
      if (zone?.id !== wanted.id) throw new Incomparable('the zone does not exist any more');
      return compareAt(snapshot, zone, received);
    } finally {
      snapshot.close();
      pool.close();
    }
  }
}

function compareAt(snapshot: Snapshot, zone: Zone, { serial, soa, sums }: Received): ServedReport {
  const changes = serial === zone.serial ? [] : snapshot.differences(zone, serial);
  if (changes === undefined) {
    throw new Incomparable(`the journal does not have serial ${serial} of the zone`);
  }
  bringForward(snapshot, changes, sums);
  const ours = new RrsetSums();
  for (const { records } of snapshot.blocks(zone.id)) {
    for (const record of unpackRecords(records)) ours.add(record);
  }
  // The SOA is in no block and no change.
  const [first] = changes;
  const ofSerial =
    first === undefined
      ? { ttl: zone.defaultTtl, rdata: soaRdata(zone) }
      : { ttl: first.soaTtlBefore, rdata: first.soaBefore };
  ours.add({ owner: emptyName, type: rrtype.SOA, ...ofSerial });
  sums.add({ owner: emptyName, type: rrtype.SOA, ...soa });
  const found = ours.differences(sums);
  const apex = parseAbsoluteName(zone.name);
  const of = (kind: string) => found.filter(({ difference }) => difference === kind).length;
  return {
    result: found.length === 0 ? 'same' : 'differs',
    serial,
    compared: ours.either(sums),
    missing: of('missing'),
    extra: of('extra'),
    differing: of('differing'),
    rrsets: found.slice(0, limits.servedRrsets).map(({ owner, type, difference }) => {
      const name = printAbsoluteName(joinNames(owner, apex));
      return { name, type: printType(type), difference };
    }),
    isRefused: false,
    error: null,
  };
}

/** Takes the changes of the zone since, so that what is right becomes that of now. */
function bringForward(snapshot: Snapshot, changes: readonly Difference[], sums: RrsetSums): void {
  for (const delta of changes) {
    for (const { change, records } of snapshot.parts(delta)) {
      for (const record of unpackRecords(records)) {
        if (change === 'added') sums.add(record);
        else sums.remove(record);
      }
    }
  }
}

/** The zone as the secondary sends it, within the limits on records, bytes and time. */
async function receive(question: ServedQuestion): Promise<Received> {
  const { zone, server, tsigKey, outbound, bounds } = question;
  const sums = new RrsetSums();
  let soa: Received['soa'] | undefined;
  const parts = fetchZone({
    server,
    apex: parseAbsoluteName(zone.name),
    timeoutMs: bounds.silenceMs,
    totalMs: bounds.totalMs,
    maxRecords: bounds.records,
    maxBytes: bounds.bytes,
    signer: tsigKey && signerOf(tsigKey),
    outbound: new Outbound(new OutboundPolicy(outbound)),
    // Who may register secondaries may name any address.
    reach: 'private',
    failure: (clause, isRefused) => new Incomparable(clause, isRefused),
  });
  for await (const part of parts) {
    if (part.kind === 'soa') soa = { ttl: part.ttl, rdata: part.rdata };
    else for (const record of part.records) sums.add(record);
  }
  if (soa === undefined) throw new Incomparable('the server sent no SOA');
  const { serial } = readSoaFields(soa.rdata);
  return { serial, soa, sums };
}

/** Each address that is tried gets an exchange of its own. */
function signerOf({ name, algorithm, secret }: TsigKeyFields): () => TsigExchange {
  const key = new TsigKey({ name, algorithm, secret: Buffer.from(secret) });
  return exchangesWith(key, systemClock);
}

/**
 * What may be stored at one owner: what named, knotd and nsd load, transfer and answer (RFC 1034 3.6.2, RFC 2181 5 and
 * 10.1, RFC 6672 2.4, RFC 7505 3, RFC 3658 2.1). Judged on the state a transaction ends in, so the order inside it
 * never matters. What stands against names below a DNAME is in dname-rules.ts.
 */
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { emptyName, isWildcard, joinNames, type NameKey, printAbsoluteName } from '../dns/name.ts';
import { laterTypes } from '../dns/rdata/formats.ts';
import { fitsFormat } from '../dns/rdata/rdata.ts';
import { fixedBytes, type ResourceRecord, rdataKey } from '../dns/record.ts';
import { printType, rrtype, unreadableTypes, whyUnreadable } from '../dns/rrtype.ts';

/** The Problem that a check throws, for who asks instead of refusing; other errors pass. */
export function problemOf(check: () => void): Problem | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Types with rules even when they are alone at their owner. */
const companyTypes: ReadonlySet<number> = new Set([
  rrtype.CNAME,
  rrtype.DNAME,
  rrtype.DS,
  rrtype.NS,
]);

/** Whether a record may be wrong even when it is the only one at its owner. */
export function hasRulesAlone(type: number, rdataBytes: number): boolean {
  return (
    companyTypes.has(type) ||
    laterTypes.has(type) ||
    unreadableTypes.has(type) ||
    fixedBytes + rdataBytes > limits.rrsetBytes
  );
}

/**
 * Throws RECORD_CONFLICT or INVALID_RECORD_VALUE when the records at an owner can not change from `before` to `after`.
 */
export function checkChange(
  apex: NameKey,
  owner: NameKey,
  before: readonly ResourceRecord[],
  after: readonly ResourceRecord[],
): void {
  checkNode(apex, owner, after);
  const problem =
    lostApexNs(apex, owner, before, after) ?? overgrownNode(apex, owner, before, after);
  if (problem !== undefined) throw problem;
  for (const record of after) {
    const misfit = misfitOf(apex, record, before);
    if (misfit !== undefined) throw misfit;
  }
}

/**
 * Records whose bytes do not fit their type come from a time when the type had no form here: named refuses a zone with
 * them. So do secondaries with records of some types, which were stored before that was known. One that is stored may
 * stay, and be imported again where it is; no other comes in.
 */
export function misfitOf(
  apex: NameKey,
  { owner, type, rdata }: ResourceRecord,
  before: readonly ResourceRecord[],
): Problem | undefined {
  const reason = whyUnreadable(type);
  if (reason === undefined && (!laterTypes.has(type) || fitsFormat(type, rdata))) return undefined;
  const key = rdataKey(type, rdata);
  const isSame = (one: ResourceRecord) => one.type === type && rdataKey(type, one.rdata) === key;
  if (before.some(isSame)) return undefined;
  const name = printAbsoluteName(joinNames(owner, apex));
  const text = printType(type);
  return new Problem(
    'INVALID_RECORD_VALUE',
    reason === undefined
      ? `value: the bytes at ${name} do not fit the form of ${text}`
      : `type: ${text} can not be stored as a record at ${name}: ${reason}`,
  );
}

/** Secondaries refuse a zone without name servers, or answer SERVFAIL for it: who has some keeps one. */
export function lostApexNs(
  apex: NameKey,
  owner: NameKey,
  before: readonly ResourceRecord[],
  after: readonly ResourceRecord[],
): Problem | undefined {
  if (owner !== emptyName || !before.some(isNs) || after.some(isNs)) return undefined;
  const zone = printAbsoluteName(apex);
  return conflict(`the zone ${zone} would have no NS record at its apex; one has to stay`);
}

/**
 * Whoever may write at one name must not make each question about it, which anybody may ask, one about a whole zone.
 * What an older version stored may stay, and become less. How much there is remains unsaid: the caller may not read it.
 */
export function overgrownNode(
  apex: NameKey,
  owner: NameKey,
  before: readonly ResourceRecord[],
  after: readonly ResourceRecord[],
): Problem | undefined {
  const bytes = bytesOf(after);
  if (bytes <= limits.ownerBytes || bytes <= bytesOf(before)) return undefined;
  return new Problem(
    'INVALID_RECORD_VALUE',
    `value: the records at ${printAbsoluteName(joinNames(owner, apex))} would have more than ` +
      `${limits.ownerBytes} bytes, which is the most of all types at one name together`,
  );
}

function bytesOf(records: readonly ResourceRecord[]): number {
  return records.reduce((sum, { rdata }) => sum + fixedBytes + rdata.length, 0);
}

function isNs({ type }: ResourceRecord): boolean {
  return type === rrtype.NS;
}

/** Throws RECORD_CONFLICT or INVALID_RECORD_VALUE when `records`, all at `owner`, can not stand. */
export function checkNode(apex: NameKey, owner: NameKey, records: readonly ResourceRecord[]): void {
  const first = records[0];
  if (first === undefined) return;
  if (records.length === 1 && !hasRulesAlone(first.type, first.rdata.length)) return;
  checkSets(apex, owner, records);
  checkCompany(apex, owner, records);
}

interface Rrset {
  readonly ttl: number;
  bytes: number;
}

/** Rules inside one RRset: no duplicates, one TTL, and a size that fits one message. */
function checkSets(apex: NameKey, owner: NameKey, records: readonly ResourceRecord[]): void {
  const rrsets = new Map<number, Rrset>();
  const seen = new Set<string>();
  const text = () => printAbsoluteName(joinNames(owner, apex));
  for (const { type, ttl, rdata } of records) {
    const key = `${type} ${rdata.latin1Slice()}`;
    if (seen.has(key)) {
      throw conflict(`the same ${printType(type)} record already exists at ${text()}`);
    }
    seen.add(key);
    const bytes = fixedBytes + rdata.length;
    const rrset = rrsets.get(type);
    if (rrset === undefined) rrsets.set(type, { ttl, bytes });
    else if (rrset.ttl === ttl) rrset.bytes += bytes;
    else {
      throw conflict(
        `the ${printType(type)} records at ${text()} share one TTL: ${rrset.ttl} and ${ttl} differ`,
      );
    }
  }
  for (const [type, { bytes }] of rrsets) {
    if (bytes <= limits.rrsetBytes) continue;
    throw new Problem(
      'INVALID_RECORD_VALUE',
      `value: the ${printType(type)} records at ${text()} have ${bytes} bytes; ` +
        `an RRset has at most ${limits.rrsetBytes}, to fit one DNS message`,
    );
  }
}

/** Rules between the types at one owner. */
function checkCompany(apex: NameKey, owner: NameKey, records: readonly ResourceRecord[]): void {
  const text = () => printAbsoluteName(joinNames(owner, apex));
  const count = (type: number) =>
    records.reduce((sum, record) => sum + (record.type === type ? 1 : 0), 0);
  const cnames = count(rrtype.CNAME);
  if (cnames > 0 && owner === emptyName) {
    throw new Problem('INVALID_RECORD_VALUE', `a CNAME can not stand at the apex ${text()}`);
  }
  if (cnames > 1) throw conflict(`only one CNAME can stand at ${text()}`);
  if (cnames === 1 && records.length > 1) {
    throw conflict(`a CNAME stands alone: other records exist or are added at ${text()}`);
  }
  const dnames = count(rrtype.DNAME);
  if (dnames > 1) throw conflict(`only one DNAME can stand at ${text()}`);
  const servers = count(rrtype.NS);
  if (servers > 0 && isWildcard(owner)) {
    // Secondaries refuse such a zone: what it would delegate is undefined (RFC 4592 4.2).
    throw new Problem('INVALID_RECORD_VALUE', `NS can not stand at the wildcard ${text()}`);
  }
  if (dnames === 1 && servers > 0 && owner !== emptyName) {
    throw conflict(`a DNAME can not stand beside the delegation (NS) at ${text()}`);
  }
  if (count(rrtype.DS) > 0) {
    if (owner === emptyName) {
      throw new Problem(
        'INVALID_RECORD_VALUE',
        `a DS can not stand at the apex ${text()}: it belongs into the parent zone`,
      );
    }
    if (servers === 0) {
      throw conflict(`a DS stands only beside a delegation: ${text()} has no NS record`);
    }
  }
  const exchanges = count(rrtype.MX);
  if (exchanges > 1 && records.some(isNullMx)) {
    throw conflict(`a null MX (.) excludes other MX records at ${text()}`);
  }
}

function isNullMx(record: ResourceRecord): boolean {
  return record.type === rrtype.MX && record.rdata.length === 3;
}

function conflict(message: string): Problem {
  return new Problem('RECORD_CONFLICT', message);
}

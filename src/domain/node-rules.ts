/**
 * What may stand together at one owner (RFC 1034 3.6.2, RFC 2181 5 and 10.1, RFC 6672 2.4, RFC 7505 3,
 * RFC 3658 2.1). Judged on the state a transaction ends in, so the order inside it never matters.
 */
import { Problem } from '../base/problem.ts';
import { emptyName, isWildcard, joinNames, type NameKey, printAbsoluteName } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { printType, rrtype } from '../dns/rrtype.ts';

/** Types with rules even when they stand alone. */
const companyTypes: ReadonlySet<number> = new Set([rrtype.CNAME, rrtype.DS, rrtype.NS]);

/** Whether a record of a type may be wrong even when it is the only one at its owner. */
export function hasRulesAlone(type: number): boolean {
  return companyTypes.has(type);
}

/** Throws RECORD_CONFLICT or INVALID_RECORD_VALUE when `records`, all at `owner`, can not stand. */
export function checkNode(apex: NameKey, owner: NameKey, records: readonly ResourceRecord[]): void {
  const first = records[0];
  if (first === undefined) return;
  if (records.length === 1 && !hasRulesAlone(first.type)) return;
  checkSets(apex, owner, records);
  checkCompany(apex, owner, records);
}

/** Rules inside one RRset: no duplicates, one TTL, and types that stand alone. */
function checkSets(apex: NameKey, owner: NameKey, records: readonly ResourceRecord[]): void {
  const ttlOf = new Map<number, number>();
  const seen = new Set<string>();
  const text = () => printAbsoluteName(joinNames(owner, apex));
  for (const record of records) {
    const key = `${record.type} ${record.rdata.latin1Slice()}`;
    if (seen.has(key)) {
      throw conflict(`the same ${printType(record.type)} record already exists at ${text()}`);
    }
    seen.add(key);
    const ttl = ttlOf.get(record.type);
    if (ttl !== undefined && ttl !== record.ttl) {
      throw conflict(
        `the ${printType(record.type)} records at ${text()} share one TTL: ${ttl} and ${record.ttl} differ`,
      );
    }
    ttlOf.set(record.type, record.ttl);
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

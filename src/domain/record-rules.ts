/**
 * The rules about records that are probably a mistake, each in one place: a write asks them of what it changes
 * (warnings.ts), a look at a whole zone of all it holds (lint.ts). Pure.
 */
import { limits } from '../base/limits.ts';
import type { Warning, WarningCode } from '../base/warning.ts';
import {
  emptyName,
  joinNames,
  keyFromWire,
  labelCount,
  type NameKey,
  parseAbsoluteName,
  printAbsoluteName,
} from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { printType, rrtype } from '../dns/rrtype.ts';
import { holds, type TargetState } from './target-state.ts';

/** Bytes of RDATA before the name that a record points at. */
const targetOffsets: ReadonlyMap<number, number> = new Map([
  [rrtype.NS, 0],
  [rrtype.CNAME, 0],
  [rrtype.PTR, 0],
  [rrtype.DNAME, 0],
  [rrtype.MX, 2],
  [rrtype.AFSDB, 2],
  [rrtype.KX, 2],
  [rrtype.SVCB, 2],
  [rrtype.HTTPS, 2],
  [rrtype.SRV, 6],
]);

/** Types whose target must have an address and be no alias (RFC 2181 10.3, RFC 2782). */
export const hostTypes: ReadonlySet<number> = new Set([rrtype.NS, rrtype.MX, rrtype.SRV]);

/** Names of one label that are meant as such (RFC 6761; RFC 9432 4.2 has `invalid.` as the NS of a catalog). */
const singleLabels: ReadonlySet<string> = new Set(['localhost\0', 'invalid\0']);

/** Whether records of a type are judged one by one, even where each is the only one at its owner. */
export function isJudgedAlone(type: number): boolean {
  return targetOffsets.has(type) || type === rrtype.TXT;
}

/** Absolute; undefined for a type that has none. */
export function targetOf({
  type,
  rdata,
}: Pick<ResourceRecord, 'type' | 'rdata'>): NameKey | undefined {
  const offset = targetOffsets.get(type);
  return offset === undefined ? undefined : keyFromWire(rdata, offset);
}

/** One warning before it is printed, with what it is sorted by. */
export interface DraftWarning {
  readonly owner: NameKey;
  readonly type: number;
  readonly code: WarningCode;
  /** Absolute; the name of no labels where there is none. */
  readonly target: NameKey;
  readonly message: string;
}

export function compareDrafts(a: DraftWarning, b: DraftWarning): number {
  if (a.owner !== b.owner) return a.owner < b.owner ? -1 : 1;
  if (a.type !== b.type) return a.type - b.type;
  if (a.code !== b.code) return a.code < b.code ? -1 : 1;
  return a.target < b.target ? -1 : a.target > b.target ? 1 : 0;
}

export function warningOf({ code, owner, type, message }: DraftWarning, apex: NameKey): Warning {
  return { code, name: printAbsoluteName(joinNames(owner, apex)), type: printType(type), message };
}

/** A zone without NS at its apex. */
export function missingApexNs(apex: NameKey): DraftWarning {
  const zone = printAbsoluteName(apex);
  const message = `zone ${zone} has no NS record at its apex: secondaries refuse to load it`;
  return { owner: emptyName, type: rrtype.NS, code: 'NO_APEX_NS', target: emptyName, message };
}

/** An RRset by its number of records. */
export function largeRrset(owner: NameKey, type: number, count: number): DraftWarning | undefined {
  if (count <= limits.largeRrset) return undefined;
  const message = `the RRset has ${count} records: resolvers may refuse more than ${limits.largeRrset}`;
  return { owner, type, code: 'LARGE_RRSET', target: emptyName, message };
}

/** A target of one label. */
export function singleLabel(
  owner: NameKey,
  type: number,
  target: NameKey,
  apex: NameKey,
): DraftWarning | undefined {
  if (labelCount(target) !== 1 || singleLabels.has(target)) return undefined;
  const text = printAbsoluteName(target);
  const message = `the target ${text} has one label: is ${text}${printAbsoluteName(apex)} meant?`;
  return { owner, type, code: 'TARGET_SINGLE_LABEL', target, message };
}

/** A record by what stands at its target. */
export interface Pointing {
  readonly owner: NameKey;
  readonly type: number;
  /** Absolute. */
  readonly target: NameKey;
  /** Apex of the zone that the target was looked up in, which is named where it is not that of the record. */
  readonly zone: NameKey;
  readonly isElsewhere: boolean;
}

/** An NS, MX, SRV or CNAME by what stands at its target. */
export function judgeTarget(pointing: Pointing, state: TargetState): DraftWarning | undefined {
  const { owner, type, target } = pointing;
  const against =
    type === rrtype.CNAME
      ? reasonAgainstAlias(pointing, state)
      : reasonAgainstHost(pointing, state);
  if (against === undefined) return undefined;
  const message = `the target ${printAbsoluteName(target)} ${against.reason}`;
  return { owner, type, code: against.code, target, message };
}

interface Reason {
  readonly code: WarningCode;
  readonly reason: string;
}

const alias: Reason = {
  code: 'TARGET_IS_ALIAS',
  reason: 'is a CNAME; an NS, MX or SRV must not point at an alias (RFC 2181 10.3)',
};

function reasonAgainstAlias(pointing: Pointing, state: TargetState): Reason | undefined {
  if (state.kind !== 'missing' || !state.isCertain) return undefined;
  return { code: 'CNAME_TARGET_MISSING', reason: `does not exist in ${zoneText(pointing)}` };
}

function reasonAgainstHost(pointing: Pointing, state: TargetState): Reason | undefined {
  const print = (name: NameKey) => printAbsoluteName(joinNames(name, pointing.zone));
  const noAddress = (): Reason => {
    return {
      code: 'TARGET_NO_ADDRESS',
      reason: `has no A or AAAA record in ${zoneText(pointing)}`,
    };
  };
  switch (state.kind) {
    case 'unknown':
      return undefined;
    case 'delegated': {
      // Servers of the child tell the addresses of other hosts; those of name servers are asked for before.
      if (pointing.type !== rrtype.NS || pointing.isElsewhere) return undefined;
      if (state.records.find(isAddress)) return undefined;
      const reason = `has no glue (A or AAAA): it is at or below the delegation of ${print(state.cut)}`;
      return { code: 'TARGET_NO_ADDRESS', reason };
    }
    case 'redirected': {
      const reason = `is an alias: it is below the DNAME at ${print(state.owner)} (RFC 2181 10.3)`;
      return { code: 'TARGET_IS_ALIAS', reason };
    }
    case 'missing':
      return noAddress();
    case 'found':
      if (holds(state.records, rrtype.CNAME)) return alias;
      return state.records.find(isAddress) ? undefined : noAddress();
  }
}

function zoneText({ isElsewhere, zone }: Pointing): string {
  return isElsewhere ? `zone ${printAbsoluteName(zone)}` : 'this zone';
}

export function isAddress({ type }: Pick<ResourceRecord, 'type'>): boolean {
  return type === rrtype.A || type === rrtype.AAAA;
}

/** Names that SPF may look up (RFC 7208 4.6.4). */
const maxSpfLookups = 10;
const spfStart = /^v=spf1(?: |$)/i;

/** The text of a TXT that is an SPF record (RFC 7208 3.3, 4.5); undefined for others. */
export function spfText({
  type,
  rdata,
}: Pick<ResourceRecord, 'type' | 'rdata'>): string | undefined {
  // Its length, then `v=`: what most TXT records are refused by, without a copy.
  if (type !== rrtype.TXT || (rdata[1]! | 0x20) !== 0x76) return undefined;
  let text = '';
  for (let at = 0; at < rdata.length; at += rdata[at]! + 1) {
    text += Buffer.from(rdata.subarray(at + 1, at + 1 + rdata[at]!)).toString('latin1');
  }
  return spfStart.test(text) ? text : undefined;
}

/** The SPF record of another name, as far as it is known. */
export type SpfOf = (name: NameKey) => string | undefined;

/** The TXT records at an owner; `spfOf` where records that are included are known. */
export function judgeSpf(
  owner: NameKey,
  records: readonly ResourceRecord[],
  spfOf: SpfOf = () => undefined,
): DraftWarning[] {
  const texts = records.flatMap((record) => spfText(record) ?? []);
  const about = { owner, type: rrtype.TXT, target: emptyName };
  const found: DraftWarning[] = [];
  const lookups = Math.max(0, ...texts.map((text) => spfLookups(text, spfOf)));
  if (lookups > maxSpfLookups) {
    const message = `the SPF record needs more than ${maxSpfLookups} look-ups: receivers refuse it (RFC 7208 4.6.4)`;
    found.push({ ...about, code: 'SPF_LOOKUPS', message });
  }
  if (texts.length > 1) {
    const message = `there are ${texts.length} SPF records: receivers take none of several (RFC 7208 4.5)`;
    found.push({ ...about, code: 'SPF_MULTIPLE', message });
  }
  return found;
}

/** Look-ups that a record needs, counted to one beyond the limit. */
function spfLookups(text: string, spfOf: SpfOf, known = 0, depth = 0): number {
  let lookups = known;
  for (const term of text.split(' ').slice(1)) {
    const [, mechanism, name] =
      /^[-+~?]?(include:|exists:|redirect=|(?:a|mx|ptr)(?=[:/]|$))(.*)$/i.exec(term) ?? [];
    if (mechanism === undefined) continue;
    lookups++;
    if (lookups > maxSpfLookups) return lookups;
    if (!/^(?:include:|redirect=)/i.test(mechanism) || depth > maxSpfLookups) continue;
    const included = spfOfName(name!, spfOf);
    if (included !== undefined) lookups = spfLookups(included, spfOf, lookups, depth + 1);
  }
  return lookups;
}

function spfOfName(name: string, spfOf: SpfOf): string | undefined {
  // Macros are made when mail comes (RFC 7208 7).
  if (name === '' || name.includes('%')) return undefined;
  try {
    return spfOf(parseAbsoluteName(name));
  } catch {
    return undefined;
  }
}

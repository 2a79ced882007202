/**
 * Random steps of a zone, always the same ones for a seed: nodes of every kind come, go and turn into
 * each other, under few names, so that they meet above and below one another.
 */

import { emptyName, keyFromLabels, type NameKey } from '../../src/dns/name.ts';
import { parseRdataText } from '../../src/dns/rdata/rdata.ts';
import { type ResourceRecord, rdataKey } from '../../src/dns/record.ts';
import { rrtype } from '../../src/dns/rrtype.ts';
import { denialOf } from '../../src/dnssec/denial.ts';
import type { UserChange } from '../../src/dnssec/zone-view.ts';
import { exampleApex, type MemoryZone } from './signed-zone.ts';

/** A number from 0 to below `count`, from a sequence that the seed fixes (mulberry32). */
export type Dice = (count: number) => number;

export function diceOf(seed: number): Dice {
  let state = seed;
  return (count) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
}

/** A user may store records at the very name where the denial of the apex stands. */
const hashedApex = denialOf('nsec3', exampleApex).ownerFor(emptyName).slice(0, -1);

const labels = ['a', 'b', 'c', 'd', 'e-f', '*', '_x', 'zz', '\0', hashedApex];
const digest = 'AB'.repeat(32);

export interface ChangeTerms {
  /** False: no names below a DNAME, which other servers refuse to load. */
  readonly hidesBelowDname: boolean;
}

/** A step that turns one to three nodes, or a whole subtree, into something else. */
export function randomChange(zone: MemoryZone, dice: Dice, terms: ChangeTerms): UserChange {
  const removed: ResourceRecord[] = [];
  const added: ResourceRecord[] = [];
  const seen = new Set<NameKey>();
  for (let nodes = 1 + dice(3); nodes > 0; nodes--) {
    const owner = randomOwner(dice);
    if (seen.has(owner)) continue;
    seen.add(owner);
    if (dice(8) === 0 && owner !== emptyName) {
      for (const below of zone.ownersBelow(owner)) {
        if (seen.has(below)) continue;
        seen.add(below);
        removed.push(...zone.user(below));
      }
    }
    const before = zone.user(owner);
    const after = randomNode(owner, dice);
    const isAlias = after.some((record) => record.type === rrtype.DNAME);
    if (!terms.hidesBelowDname && (isAlias || isBelowDname(zone, added, owner))) continue;
    const stays = (record: ResourceRecord, among: readonly ResourceRecord[]) =>
      among.some((each) => each.ttl === record.ttl && sameData(each, record));
    removed.push(...before.filter((record) => !stays(record, after)));
    added.push(...after.filter((record) => !stays(record, before)));
  }
  return { removed, added };
}

function isBelowDname(zone: MemoryZone, added: readonly ResourceRecord[], owner: NameKey): boolean {
  for (const record of [...zone.userRecords(), ...added]) {
    if (record.type === rrtype.DNAME && owner.startsWith(record.owner)) return true;
  }
  return false;
}

function sameData(a: ResourceRecord, b: ResourceRecord): boolean {
  return rdataKey(a.type, a.rdata) === rdataKey(b.type, b.rdata);
}

function randomOwner(dice: Dice): NameKey {
  if (dice(20) === 0) return emptyName;
  const depth = 1 + dice(4);
  return keyFromLabels(Array.from({ length: depth }, () => labels[dice(labels.length)]!));
}

/** What a node may hold together, the rules of the law kept. */
function randomNode(owner: NameKey, dice: Dice): ResourceRecord[] {
  const ttl = [300, 600, 60][dice(3)]!;
  const make = (type: number, text: string): ResourceRecord => {
    return { owner, type, ttl, rdata: parseRdataText(type, text) };
  };
  const hosts = Array.from({ length: 1 + dice(3) }, (_, at) => make(rrtype.A, `192.0.2.${at}`));
  if (owner === emptyName) {
    const servers = make(rrtype.NS, 'ns.other.test.');
    return dice(2) === 0 ? [servers] : [...hosts, servers];
  }
  switch (dice(owner.endsWith('*\0') ? 7 : 10)) {
    case 0:
    case 1:
      return [];
    case 2:
      return hosts;
    case 3:
      return [make(rrtype.CNAME, 'a.example.test.')];
    case 4:
      return [...hosts, make(rrtype.TXT, `"${dice(3)}"`), make(rrtype.CAA, '0 issue "x"')];
    case 5:
      return [make(65_280, `\\# 1 0${dice(3)}`), make(rrtype.MX, '10 a.example.test.')];
    case 6:
      return [make(rrtype.DNAME, 'elsewhere.test.')];
    case 7:
      return [make(rrtype.NS, 'ns.other.test.'), make(rrtype.DS, `${dice(9)} 13 2 ${digest}`)];
    case 8:
      return [make(rrtype.NS, 'ns.other.test.'), make(rrtype.NS, 'ns2.other.test.')];
    default:
      return [...hosts, make(rrtype.NS, 'ns.other.test.')];
  }
}

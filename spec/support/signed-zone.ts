/**
 * Zones in memory that tests sign: the view that incremental signing asks for, over plain arrays, and
 * what a test needs besides: keys in given states, passes, the zone as a master file.
 */

import {
  emptyName,
  joinNames,
  keyFromLabels,
  type NameKey,
  nameToWire,
  parseAbsoluteName,
  printAbsoluteName,
  splitNameText,
} from '../../src/dns/name.ts';
import { parseRdataText, printRdata } from '../../src/dns/rdata/rdata.ts';
import { compareRecords, type ResourceRecord, rdataKey } from '../../src/dns/record.ts';
import { dnssecTypes, parseType, printType, rrtype } from '../../src/dns/rrtype.ts';
import { keyTagOf } from '../../src/dnssec/dnskey.ts';
import { generateKey, type KeyPair, signerOf } from '../../src/dnssec/key-pair.ts';
import { type KeyPlan, planKeys } from '../../src/dnssec/key-plan.ts';
import { needsWholePass, type SignedChange, signChange } from '../../src/dnssec/sign-change.ts';
import { signWhole, type WholeZone } from '../../src/dnssec/sign-whole.ts';
import {
  type SigningPass,
  type SigningSettings,
  startPass,
} from '../../src/dnssec/signing-pass.ts';
import { bearsDs, type KeyRole, type KeyState, type ZoneKey } from '../../src/dnssec/zone-key.ts';
import type { UserChange, ZoneView } from '../../src/dnssec/zone-view.ts';
import { opensslOpinion } from './openssl-opinion.ts';

/** Records of a zone written `owner type value`, one a line, all of one TTL. */
export function recordsOf(text: string, ttl = 300): ResourceRecord[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [, ownerText, typeText, value] = /^(\S+) (\S+) (.*)$/.exec(line)!;
      const owner = ownerText === '@' ? emptyName : keyFromLabels(splitNameText(ownerText!).labels);
      const type = parseType(typeText!)!;
      return { owner, type, ttl, rdata: parseRdataText(type, value!) };
    });
}

export class MemoryZone implements ZoneView {
  readonly #nodes = new Map<NameKey, ResourceRecord[]>();
  #sorted: NameKey[] | undefined;

  constructor(records: Iterable<ResourceRecord>) {
    this.add(records);
  }

  add(records: Iterable<ResourceRecord>): void {
    for (const record of records) {
      const node = this.#nodes.get(record.owner);
      if (node === undefined) {
        this.#nodes.set(record.owner, [record]);
        this.#sorted = undefined;
      } else {
        const key = rdataKey(record.type, record.rdata);
        if (node.some((each) => rdataKey(each.type, each.rdata) === key)) {
          throw new Error(`${printType(record.type)} at ${record.owner} stands there already`);
        }
        node.push(record);
        node.sort(compareRecords);
      }
    }
  }

  remove(records: Iterable<ResourceRecord>): void {
    for (const record of records) {
      const node = this.#nodes.get(record.owner) ?? [];
      const at = node.findIndex((each) => compareRecords(each, record) === 0);
      if (at < 0 || node[at]!.ttl !== record.ttl) {
        throw new Error(`${printType(record.type)} at ${record.owner} does not stand there`);
      }
      node.splice(at, 1);
      if (node.length > 0) continue;
      this.#nodes.delete(record.owner);
      this.#sorted = undefined;
    }
  }

  #owners(): NameKey[] {
    this.#sorted ??= [...this.#nodes.keys()].sort((a, b) => (a < b ? -1 : 1));
    return this.#sorted;
  }

  *records(): Iterable<ResourceRecord> {
    for (const owner of this.#owners()) yield* this.#nodes.get(owner)!;
  }

  *userRecords(): Iterable<ResourceRecord> {
    for (const record of this.records()) if (!dnssecTypes.has(record.type)) yield record;
  }

  *dnssecRecords(): Iterable<ResourceRecord> {
    for (const record of this.records()) if (dnssecTypes.has(record.type)) yield record;
  }

  user(owner: NameKey): readonly ResourceRecord[] {
    return (this.#nodes.get(owner) ?? []).filter((record) => !dnssecTypes.has(record.type));
  }

  dnssec(owner: NameKey): readonly ResourceRecord[] {
    return (this.#nodes.get(owner) ?? []).filter((record) => dnssecTypes.has(record.type));
  }

  *ownersBelow(owner: NameKey): Iterable<NameKey> {
    const owners = this.#owners();
    for (let at = lowerBound(owners, owner); at < owners.length; at++) {
      const below = owners[at]!;
      if (!below.startsWith(owner)) return;
      if (below !== owner && this.user(below).length > 0) yield below;
    }
  }

  lastHolding(type: number, owner: NameKey | undefined): NameKey | undefined {
    const owners = this.#owners();
    const start = owner === undefined ? owners.length : lowerBound(owners, owner);
    for (let at = start - 1; at >= 0; at--) {
      const node = this.#nodes.get(owners[at]!)!;
      if (node.some((record) => record.type === type)) return owners[at]!;
    }
    return undefined;
  }
}

/** The first index whose owner is not less than `owner`. */
function lowerBound(owners: readonly NameKey[], owner: NameKey): number {
  let low = 0;
  let high = owners.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (owners[middle]! < owner) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A key pair with the state that a plan is made from. */
export type TestKey = ZoneKey & { readonly pair: KeyPair };

let lastKeyId = 0;

export async function makeKey(
  algorithm: number,
  role: KeyRole,
  state: KeyState = 'active',
  others: readonly TestKey[] = [],
): Promise<TestKey> {
  const taken = others.map((key) => key.dnskey);
  const pair = await generateKey(algorithm, bearsDs(role), taken, opensslOpinion);
  const { dnskey } = pair;
  const times = { createdAt: 0, stateChangedAt: 0, cdsFrom: 0, dsFrom: 0 };
  const inState = state === 'active' ? { state, eligibleAt: null } : { state, eligibleAt: 0 };
  return {
    ...times,
    ...inState,
    id: ++lastKeyId,
    algorithm,
    role,
    keyTag: keyTagOf(dnskey),
    dnskey,
    pair,
    dsSeenAt: null,
  };
}

/** Signers are kept, as the program keeps them: a signature is reused while its signer is one. */
export function planOf(
  keys: readonly TestKey[],
  apex: NameKey,
  now: number,
  withdrawing = false,
): KeyPlan {
  const pairOf = new Map(keys.map((key) => [key.id, key.pair]));
  return planKeys(keys, (key) => signerOf(pairOf.get(key.id)!), { apex, withdrawing, now });
}

export const day = 86_400;

/** How a test's zone is signed; what is left out is ordinary. */
export interface TestTerms {
  readonly apex: NameKey;
  readonly serial: number;
  readonly keys: readonly TestKey[];
  readonly denial: 'nsec' | 'nsec3';
  readonly now: number;
  readonly reuse?: boolean;
  readonly soaTtl?: number;
  readonly minimum?: number;
  readonly withdrawing?: boolean;
  /** The time by which keys are planned, where signatures are of another time. */
  readonly planNow?: number;
}

export function soaOf({ apex, serial, minimum = 600 }: TestTerms): Buffer {
  const numbers = Buffer.alloc(20);
  for (const [index, value] of [serial, 300, 60, 3_600_000, minimum].entries()) {
    numbers.writeUInt32BE(value, index * 4);
  }
  const name = nameToWire(joinNames(keyFromLabels(['ns1']), apex));
  return Buffer.concat([name, name, numbers]);
}

export function passOf(terms: TestTerms): SigningPass {
  const { apex, keys, denial, now, reuse = true, soaTtl = 3600, withdrawing = false } = terms;
  const life = { validitySeconds: 14 * day, refreshSeconds: 5 * day };
  const settings: SigningSettings = {
    apex,
    soaTtl,
    soaRdata: soaOf(terms),
    denial,
    lifetime: life,
  };
  return startPass(
    settings,
    planOf(keys, apex, terms.planNow ?? now, withdrawing),
    now,
    opensslOpinion,
    reuse,
  );
}

/** Signs a zone in one go and stores the result. Returns how many signatures were made. */
export function signAll(
  zone: MemoryZone,
  terms: TestTerms,
  changed?: WholeZone['changed'],
): SigningPass {
  const pass = passOf(terms);
  const whole: WholeZone = { records: () => zone.records() };
  const changes = [...signWhole(pass, changed === undefined ? whole : { ...whole, changed })];
  for (const { removed, added } of changes) {
    zone.remove(removed);
    zone.add(added);
  }
  return pass;
}

/** Signs a step of a zone and stores user and derived records. */
export function signStep(zone: MemoryZone, terms: TestTerms, change: UserChange): SignedChange {
  const signed = signChange(passOf(terms), zone, change);
  zone.remove([...change.removed, ...signed.dnssecRemoved]);
  zone.add([...change.added, ...signed.dnssecAdded]);
  return signed;
}

export function mustSignWhole(zone: MemoryZone, terms: TestTerms): boolean {
  return needsWholePass(passOf(terms), zone);
}

/** The zone as a master file with the SOA, signatures in presentation form. */
export function masterFile(zone: MemoryZone, terms: TestTerms): string {
  const apexText = printAbsoluteName(terms.apex);
  const { soaTtl = 3600 } = terms;
  const lines = [`${apexText} ${soaTtl} IN SOA ${printRdata(rrtype.SOA, soaOf(terms))}`];
  for (const { owner, type, ttl, rdata } of zone.records()) {
    const name = printAbsoluteName(joinNames(owner, terms.apex));
    lines.push(`${name} ${ttl} IN ${printType(type)} ${printRdata(type, rdata)}`);
  }
  return `${lines.join('\n')}\n`;
}

export const exampleApex = parseAbsoluteName('example.test');

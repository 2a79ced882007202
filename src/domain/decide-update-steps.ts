/**
 * The steps of a dynamic update, one after the other (RFC 2136 3.4.2), and the decision they come to.
 *
 * Passed over without a word: a CNAME onto data and data onto a CNAME, an SOA that is not newer or not at the
 * apex, every deletion of the SOA, of the NS RRset of the apex and of its last record, deletions of what is
 * not there, and a DS at the apex or at a name that is no delegation in the end.
 */
import { unreachable } from '../base/problem.ts';
import { emptyName, type NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { requireOnRecord } from './access/require.ts';
import { takeSoa } from './decide-update-soa.ts';
import { nextSerial, settingsOf } from './decide-zone.ts';
import type { Decision, DecisionContext } from './decision.ts';
import type { UpdateOutcome, UpdateStep } from './dynamic-update.ts';
import { planNode } from './plan-node.ts';
import type { ZoneRecord } from './record.ts';
import { holds } from './target-state.ts';
import { stepOf, type WorkingSet } from './working-set.ts';
import type { ZoneSettings } from './zone.ts';

/** The zone while the steps of one update change it. */
export class ChangingZone {
  readonly #work: WorkingSet;
  readonly #context: DecisionContext;
  /** Owners that a step has looked at, as they are by now. */
  readonly #nodes = new Map<NameKey, ResourceRecord[]>();
  #settings: ZoneSettings;
  #isSoaTaken = false;

  constructor(work: WorkingSet, context: DecisionContext) {
    this.#work = work;
    this.#context = context;
    this.#settings = settingsOf(work.zone);
  }

  take(step: UpdateStep): void {
    switch (step.kind) {
      case 'add':
        this.#add(step.record);
        break;
      case 'delete-name': {
        // SOA and NS of the apex outlive everything (RFC 2136 3.4.2.3).
        const keeps = ({ type }: ResourceRecord) => step.owner === emptyName && type === rrtype.NS;
        this.#keep(step.owner, keeps);
        break;
      }
      case 'delete-rrset':
        if (step.owner === emptyName && step.type === rrtype.NS) return;
        this.#keep(step.owner, ({ type }) => type !== step.type);
        break;
      case 'delete-record':
        this.#delete(step);
        break;
      default:
        unreachable(step);
    }
  }

  /** What the steps come to; identities are given out here, to what is really new. */
  decision(): Decision<UpdateOutcome> {
    const work = this.#work;
    for (const [owner, changed] of this.#nodes) {
      const records = this.#withoutOrphans(owner, changed);
      const make = (record: ResourceRecord) => this.#identify(record);
      work.replace(owner, planNode('replace', work.at(owner), records, make).after);
    }
    const settlement = work.settle();
    const { zone } = work;
    const isSame = settlement.removed.length + settlement.added.length === 0;
    if (isSame && !this.#isSoaTaken) {
      return { event: undefined, outcome: { verdict: 'NOERROR', zone } };
    }
    // A serial that was taken is newer than the zone's, so it is the step itself.
    const after = this.#isSoaTaken
      ? this.#settings
      : { ...this.#settings, serial: nextSerial(zone) };
    const kind = this.#isSoaTaken ? 'zone.updated' : 'records.changed';
    const step = stepOf(kind, zone, after, settlement);
    return { event: step.event, outcome: { verdict: 'NOERROR', zone: step.zone } };
  }

  #identify({ owner, type, ttl, rdata }: ResourceRecord): ZoneRecord {
    const { now } = this.#context;
    return { id: this.#context.allocateId('record'), owner, type, ttl, rdata, createdAt: now };
  }

  #at(owner: NameKey): ResourceRecord[] {
    let records = this.#nodes.get(owner);
    if (records === undefined) {
      records = this.#work.at(owner).slice();
      this.#nodes.set(owner, records);
    }
    return records;
  }

  #keep(owner: NameKey, stays: (record: ResourceRecord) => boolean): void {
    const records = this.#at(owner);
    if (!records.every(stays)) this.#nodes.set(owner, records.filter(stays));
  }

  /**
   * DS stand at delegations only (RFC 4035 2.4): the last NS takes them along, and none comes without. Judged at the
   * end, so that a delegation may get other name servers and keep its DS.
   */
  #withoutOrphans(owner: NameKey, records: readonly ResourceRecord[]): readonly ResourceRecord[] {
    if (!holds(records, rrtype.DS) || holds(records, rrtype.NS)) return records;
    // Who may delete NS alone must not make a secure delegation an insecure one.
    if (holds(this.#work.at(owner), rrtype.DS)) {
      requireOnRecord(this.#context.rights, 'record:delete', this.#work.zone, owner, rrtype.DS);
    }
    return records.filter(({ type }) => type !== rrtype.DS);
  }

  #add(record: ResourceRecord): void {
    const { owner, type, ttl, rdata } = record;
    if (type === rrtype.DS && owner === emptyName) return;
    if (type === rrtype.SOA) {
      if (owner === emptyName) this.#addSoa(rdata);
      return;
    }
    const records = this.#at(owner);
    if (isKeptApart(record, records)) return;
    if (type === rrtype.CNAME || type === rrtype.DNAME) this.#makeRoom(record, records);
    let isThere = false;
    for (const [index, other] of records.entries()) {
      if (other.type !== type) continue;
      isThere ||= other.rdata.equals(rdata);
      // The RRset has one TTL, that of the record added last (RFC 2181 5.2).
      if (other.ttl !== ttl) records[index] = { ...other, ttl };
    }
    if (!isThere) records.push(record);
  }

  /** One CNAME or DNAME stands at a name: a new one takes the place of the other (RFC 6672 5.2). */
  #makeRoom({ owner, type, rdata }: ResourceRecord, records: ResourceRecord[]): void {
    const index = records.findIndex((other) => other.type === type && !other.rdata.equals(rdata));
    if (index < 0) return;
    requireOnRecord(this.#context.rights, 'record:delete', this.#work.zone, owner, type);
    records.splice(index, 1);
  }

  #addSoa(rdata: Buffer): void {
    const after = takeSoa(this.#settings, rdata);
    if (after === this.#settings) return;
    this.#settings = after;
    this.#isSoaTaken = true;
  }

  #delete({ owner, type, rdata }: Extract<UpdateStep, { kind: 'delete-record' }>): void {
    const records = this.#at(owner);
    const index = records.findIndex((other) => other.type === type && other.rdata.equals(rdata));
    if (index < 0) return;
    const isApexNs = owner === emptyName && type === rrtype.NS;
    const isLast = records.every((other, at) => at === index || other.type !== type);
    // A zone keeps a name server (RFC 2136 3.4.2.4).
    if (!(isApexNs && isLast)) records.splice(index, 1);
  }
}

/** Data and CNAME never join: whichever comes second is passed over (RFC 2136 3.4.2.2). */
function isKeptApart({ owner, type }: ResourceRecord, records: readonly ResourceRecord[]): boolean {
  if (type !== rrtype.CNAME) return records.some((other) => other.type === rrtype.CNAME);
  return owner === emptyName || records.some((other) => other.type !== rrtype.CNAME);
}

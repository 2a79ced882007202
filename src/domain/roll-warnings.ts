/**
 * Warnings of writes to a zone whose keys are being rolled. No write takes a key away, and no TTL that a write brings
 * is a danger to validators: waits count what caches may hold, and what is written meanwhile is signed by the keys
 * that are active then. But a wait that has not begun is worked out from the greatest TTL when it does, so that a
 * write may make the roll last longer; and who writes to the apex, or all of a zone, should know that it is rolled.
 */
import { formatTime } from '../base/clock.ts';
import { emptyName, type NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { leavesAlgorithm, publishedGroups, retiredGroups } from '../dnssec/key-roll.ts';
import { currentTtl, waitMs } from '../dnssec/key-timing.ts';
import { bearsDs, type ZoneKey } from '../dnssec/zone-key.ts';
import type { DraftWarning } from './record-rules.ts';
import { isSigned, letGoUntil, waitFactsOf, withServed, type ZoneSigning } from './signing.ts';
import type { ZoneSettings } from './zone.ts';

/** A zone whose keys are being rolled, and what of it a write changes besides records. */
export interface RolledZone {
  readonly signing: ZoneSigning;
  readonly before: ZoneSettings;
  readonly after: ZoneSettings;
  /** Milliseconds since 1970, by the clock. */
  readonly now: number;
}

/** Undefined while no key comes or goes. */
export function rolledZone(
  signing: ZoneSigning | undefined,
  zone: Omit<RolledZone, 'signing'>,
): RolledZone | undefined {
  if (!isSigned(signing) || signing.keys.every(({ state }) => state === 'active')) return undefined;
  return { signing, ...zone };
}

type ChangedRecord = Pick<ResourceRecord, 'owner' | 'type' | 'ttl'>;

export class RollRules {
  readonly #zone: RolledZone;
  #greatest: ChangedRecord | undefined;
  #isChanged = false;
  #changesNs = false;
  /** The write is about all records of the zone. */
  isWhole = false;

  constructor(zone: RolledZone) {
    this.#zone = zone;
  }

  /** The record may be another one afterwards, as rows of a table are. */
  record({ owner, type, ttl }: ChangedRecord): void {
    this.#isChanged = true;
    if (ttl > (this.#greatest?.ttl ?? -1)) this.#greatest = { owner, type, ttl };
  }

  node(owner: NameKey, before: readonly ResourceRecord[], after: readonly ResourceRecord[]): void {
    this.#isChanged = true;
    const kept = new Set(before);
    for (const record of after) {
      if (kept.delete(record)) continue;
      this.record(record);
      if (owner === emptyName && record.type === rrtype.NS) this.#changesNs = true;
    }
    if (owner !== emptyName) return;
    for (const { type } of kept) if (type === rrtype.NS) this.#changesNs = true;
  }

  drafts(): DraftWarning[] {
    const drafts: DraftWarning[] = [];
    const isWhole = this.isWhole && this.#isChanged;
    if (isWhole || this.#changesNs) {
      const { signing, now } = this.#zone;
      const waits = waitTexts(signing.keys, now).join('; ');
      const then = isWhole
        ? 'the write changes neither the keys nor the roll'
        : 'a name server that is new has to serve the zone as it is signed now before that';
      const type = isWhole ? rrtype.DNSKEY : rrtype.NS;
      drafts.push(draftOf('ZONE_IS_ROLLED', { owner: emptyName, type }, `${waits}; ${then}`));
    }
    const isOfSettings = (this.#greatest?.ttl ?? 0) <= this.#zone.after.defaultTtl;
    const about =
      isOfSettings || this.#greatest === undefined
        ? { owner: emptyName, type: rrtype.SOA }
        : this.#greatest;
    for (const { key, from, to } of this.#prolonged()) {
      const message =
        `the roll lasts longer: key ${tagText(key)} stays until ${formatTime(to)} at least instead of ` +
        `${formatTime(from)}, for that long caches may hold what they have of it`;
      drafts.push(draftOf('TTL_PROLONGS_ROLL', about, message));
    }
    return drafts;
  }

  /** The ends of keys that come later by the write. */
  *#prolonged(): Generator<{ readonly key: ZoneKey; readonly from: number; readonly to: number }> {
    const { signing, before, after, now } = this.#zone;
    const largestTtl = Math.max(
      currentTtl(signing.largestTtls) ?? 0,
      after.defaultTtl,
      this.#greatest?.ttl ?? 0,
    );
    const served = withServed(signing, after, { largestTtl, refresh: after.refresh }, now);
    const { keys } = signing;
    for (const group of publishedGroups(keys)) {
      // What is replaced leaves some time after the new keys take over, which may be now.
      const at = Math.max(now, ...group.map(({ eligibleAt }) => eligibleAt));
      const roles = new Set(group.map(({ role }) => role));
      const replaced = keys.filter(({ state, role }) => state === 'active' && roles.has(role));
      const endOf = (state: ZoneSigning, zone: ZoneSettings) => {
        const facts = waitFactsOf(state, zone, at);
        return at + Math.max(0, ...replaced.map(({ role }) => waitMs(`${role}-retired`, facts)));
      };
      const [from, to] = [endOf(signing, before), endOf(served, after)];
      if (to > from) for (const key of replaced) yield { key, from, to };
    }
    for (const group of retiredGroups(keys).filter((each) => leavesAlgorithm(keys, each))) {
      const due = Math.max(...group.map(({ eligibleAt }) => eligibleAt));
      const from = Math.max(due, letGoUntil(signing, before, now) ?? 0);
      const to = Math.max(due, letGoUntil(served, after, now) ?? 0);
      if (to > from) for (const key of group) yield { key, from, to };
    }
  }
}

const tagText = ({ keyTag, role }: ZoneKey) => `${keyTag} (${role})`;

function draftOf(
  code: DraftWarning['code'],
  { owner, type }: Pick<ChangedRecord, 'owner' | 'type'>,
  message: string,
): DraftWarning {
  return { code, owner, type, target: emptyName, message };
}

/** Which key comes or goes, and what it waits for. */
function waitTexts(keys: readonly ZoneKey[], now: number): string[] {
  return keys
    .filter(({ state }) => state !== 'active')
    .map((key) => {
      const isNew = key.state === 'published';
      const waits = [
        ...(key.eligibleAt! > now ? [`until ${formatTime(key.eligibleAt!)} at least`] : []),
        ...(bearsDs(key.role)
          ? [isNew ? 'for its DS at all parents' : 'until no parent relies on it']
          : []),
      ];
      const what = isNew
        ? 'is published and waits to take over'
        : 'was replaced and waits to leave';
      return [`the zone is being rolled: key ${tagText(key)} ${what}`, ...waits].join(', ');
    });
}

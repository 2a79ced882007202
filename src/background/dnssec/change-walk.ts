/**
 * Walks over a signed zone with the user records of a step and the changes of DNSSEC records side by side, all in
 * canonical order.
 */
import type { NameKey } from '../../dns/name.ts';
import { compareRecords } from '../../dns/record.ts';
import type { OwnerChange } from '../../dnssec/reconcile-owner.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import type { StageWriter } from '../import/stage-writer.ts';
import { type OwnerGroup, ZoneWalk } from '../import/zone-walk.ts';

/** User records that a step removes and adds, each set in canonical order. */
export interface PriorRecords {
  readonly removed: readonly ZoneRecord[];
  readonly added: readonly ZoneRecord[];
}

export class ChangeWalk {
  readonly #walk: ZoneWalk;
  /** By owner, in canonical order. */
  readonly #users: Map<NameKey, OwnerChange>;

  /** `groups` are the owners of the zone before the step, which was judged already. */
  constructor(groups: Iterator<OwnerGroup>, prior: PriorRecords, writer: StageWriter) {
    this.#walk = new ZoneWalk({ writer, occluded() {} });
    this.#walk.open(groups);
    this.#users = byOwner(prior);
  }

  /** Writes everything before the owner of a change, and the owner with it. */
  async change(generated: OwnerChange): Promise<void> {
    const { owner } = generated;
    await this.#usersBefore(owner);
    const users = this.#users.get(owner);
    this.#users.delete(owner);
    await this.#write(users === undefined ? generated : joined(users, generated));
  }

  /** Writes what no change comes after. */
  async rest(): Promise<void> {
    await this.#usersBefore(undefined);
    await this.#walk.close();
  }

  async #usersBefore(limit: NameKey | undefined): Promise<void> {
    for (const [owner, change] of this.#users) {
      if (limit !== undefined && owner >= limit) return;
      this.#users.delete(owner);
      await this.#write(change);
    }
  }

  async #write({ owner, removed, added }: OwnerChange): Promise<void> {
    await this.#walk.write(owner, await this.#walk.to(owner), removed, added);
  }
}

function byOwner({ removed, added }: PriorRecords): Map<NameKey, OwnerChange> {
  const removedAt = Map.groupBy(removed, ({ owner }) => owner);
  const addedAt = Map.groupBy(added, ({ owner }) => owner);
  const owners = [...new Set([...removedAt.keys(), ...addedAt.keys()])].sort();
  return new Map(
    owners.map((owner) => {
      const change = { removed: removedAt.get(owner) ?? [], added: addedAt.get(owner) ?? [] };
      return [owner, { owner, ...change }];
    }),
  );
}

function joined(a: OwnerChange, b: OwnerChange): OwnerChange {
  return {
    owner: a.owner,
    removed: [...a.removed, ...b.removed].sort(compareRecords),
    added: [...a.added, ...b.added].sort(compareRecords),
  };
}

/**
 * What dry runs have said of parts of changes, kept from a call that failed for the next one.
 *
 * The time of one call may be over before all parts are counted. The controller then asks for the same again, and
 * would never get further if its changes were counted from the beginning each time. Groups tell what stands and what
 * is to become of it, so the count of a part holds as long as all its groups are asked for as they were. A call that
 * went well leaves nothing.
 */
import type { Item } from './changes.ts';

/** Deletions that guards count, by zone. */
export type Deletions = readonly (readonly [zone: string, count: number])[];

interface CountedPart {
  /** Of its groups (keyOf). */
  readonly keys: readonly string[];
  readonly deletions: Deletions;
}

export type Group = readonly Item[];

export class CountedParts {
  #parts: readonly CountedPart[] = [];

  /** What is known of these groups, and the groups of which nothing is; forgets the others. */
  known(groups: readonly Group[]): { readonly deletions: Deletions; readonly open: Group[] } {
    const open = new Map(groups.map((group) => [keyOf(group), group]));
    this.#parts = this.#parts.filter(({ keys }) => {
      const isAsked = keys.every((key) => open.has(key));
      if (isAsked) for (const key of keys) open.delete(key);
      return isAsked;
    });
    const deletions = this.#parts.flatMap((part) => part.deletions);
    return { deletions, open: [...open.values()] };
  }

  keep(groups: readonly Group[], deletions: Deletions): void {
    this.#parts = [...this.#parts, { keys: groups.map(keyOf), deletions }];
  }

  forget(): void {
    this.#parts = [];
  }
}

/** The same in whatever order the items come: the controller sends them in none. */
function keyOf(group: Group): string {
  const items = group.map(({ list, endpoint, old }) =>
    JSON.stringify([list, endpoint, old ?? null]),
  );
  return items.sort().join();
}

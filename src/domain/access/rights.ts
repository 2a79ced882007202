/**
 * Rights: what one caller may do, compiled from the grants of its role. Pure; a narrower grant never
 * allows more than a wider one.
 *
 * What no grant reaches is invisible and answers like a missing thing; what is visible but whose
 * action is missing answers FORBIDDEN. Which of the two is the caller of this file's business.
 */
import type { NameKey } from '../../dns/name.ts';
import { type Action, actions, allZonesOnly, isRecordAction, type RecordAction } from './action.ts';
import { matchesName, matchesType, type NamePattern, type TypeSet } from './pattern.ts';

/** One grant, parsed. */
export interface CompiledGrant {
  /** Null for all zones, those to come included. */
  readonly zoneId: number | null;
  readonly actions: ReadonlySet<Action>;
  readonly names: NamePattern;
  readonly types: TypeSet;
}

/** What a grant lets its holder do with records: one row of a filter. */
export interface RecordScope {
  readonly zoneId: number | null;
  readonly names: NamePattern;
  readonly types: TypeSet;
}

export class Rights {
  /** True for the built-in admin role, the local socket, and when authentication is off. */
  readonly isFull: boolean;
  readonly #grants: readonly CompiledGrant[];

  constructor(grants: readonly CompiledGrant[], isFull = false) {
    this.#grants = grants;
    this.isFull = isFull;
  }

  /** True when any grant reaches the zone, whatever it allows there. */
  sees(zoneId: number): boolean {
    return this.isFull || this.#grants.some((grant) => reaches(grant, zoneId));
  }

  /** The zones that grants reach; undefined when they reach all. */
  visibleZones(): ReadonlySet<number> | undefined {
    if (this.isFull) return undefined;
    const zones = new Set<number>();
    for (const { zoneId } of this.#grants) {
      if (zoneId === null) return undefined;
      zones.add(zoneId);
    }
    return zones;
  }

  /** An action in all zones, those to come included. */
  everywhere(action: Action): boolean {
    return (
      this.isFull ||
      this.#grants.some((grant) => {
        return grant.zoneId === null && grant.actions.has(action) && isWhole(grant, action);
      })
    );
  }

  /** An action that is not about single records, in one zone. */
  inZone(action: Action, zoneId: number): boolean {
    if (allZonesOnly.has(action)) return this.everywhere(action);
    return this.isFull || this.#grants.some((g) => reaches(g, zoneId) && g.actions.has(action));
  }

  /** A record action in a zone with no narrowing of names or types. */
  whole(action: RecordAction, zoneId: number): boolean {
    return (
      this.isFull ||
      this.#grants.some((grant) => {
        return reaches(grant, zoneId) && grant.actions.has(action) && isWhole(grant, action);
      })
    );
  }

  /** A record action on one name and type; without a type, on all types at the name. */
  onRecord(
    action: RecordAction,
    zoneId: number,
    owner: NameKey,
    type: number | undefined,
  ): boolean {
    return (
      this.isFull ||
      this.#grants.some((grant) => {
        if (!reaches(grant, zoneId) || !grant.actions.has(action)) return false;
        if (!matchesName(grant.names, owner)) return false;
        return type === undefined ? grant.types === undefined : matchesType(grant.types, type);
      })
    );
  }

  /** True when any record action reaches the record. */
  seesRecord(zoneId: number, owner: NameKey, type: number): boolean {
    return (
      this.isFull ||
      this.#grants.some((grant) => {
        return (
          reaches(grant, zoneId) &&
          [...grant.actions].some(isRecordAction) &&
          matchesName(grant.names, owner) &&
          matchesType(grant.types, type)
        );
      })
    );
  }

  /** Where an action on records is allowed; undefined when everywhere. */
  recordScopes(action: RecordAction): readonly RecordScope[] | undefined {
    if (this.everywhere(action)) return undefined;
    return this.#grants.filter((grant) => grant.actions.has(action));
  }

  /** The actions held anywhere in a zone (narrowed or not), or in all zones, in storage order. */
  actionsIn(zoneId: number | null): { actions: Action[]; whole: RecordAction[] } {
    const held = (action: Action) =>
      this.isFull ||
      this.#grants.some((grant) => {
        return grant.actions.has(action) && (grant.zoneId === null || grant.zoneId === zoneId);
      });
    const wholly = (action: Action): action is RecordAction =>
      isRecordAction(action) &&
      (zoneId === null ? this.everywhere(action) : this.whole(action, zoneId));
    return { actions: actions.filter(held), whole: actions.filter(wholly) };
  }
}

/** Rights of the administrator. */
export const fullRights = new Rights([], true);

/** Rights of nobody, and of a role without grants. */
export const noRights = new Rights([]);

function reaches(grant: CompiledGrant, zoneId: number): boolean {
  return grant.zoneId === null || grant.zoneId === zoneId;
}

/** Names and types narrow only the record actions. */
function isWhole(grant: CompiledGrant, action: Action): boolean {
  return !isRecordAction(action) || (grant.names.kind === 'any' && grant.types === undefined);
}

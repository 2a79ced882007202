/**
 * Rights: what one caller may do, compiled from the grants of its role. Pure; a narrower grant never
 * allows more than a wider one.
 *
 * What no grant reaches is invisible and answers like a missing thing; what is visible but whose
 * action is missing answers FORBIDDEN. Which of the two is the caller of this file's business.
 */
import type { NameKey } from '../../dns/name.ts';
import {
  type Action,
  actions,
  allZonesOnly,
  isRecordAction,
  type RecordAction,
  recordActions,
} from './action.ts';
import {
  coversSubtree,
  matchesName,
  matchesType,
  type NamePattern,
  type TypeSet,
} from './pattern.ts';

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

/** The actions held in a zone or in all, and the record actions among them without narrowing. */
export interface HeldActions {
  readonly actions: readonly Action[];
  readonly whole: readonly RecordAction[];
}

const none: readonly CompiledGrant[] = [];

export class Rights {
  /** True for the built-in admin role, the local socket, and when authentication is off. */
  readonly isFull: boolean;
  /** What these rights are made of, to make them again in another thread. */
  readonly grants: readonly CompiledGrant[];
  /** Grants of all zones, and of each zone: a role may name many zones. */
  readonly #everywhere: readonly CompiledGrant[];
  readonly #ofZone: ReadonlyMap<number, readonly CompiledGrant[]>;

  constructor(grants: readonly CompiledGrant[], isFull = false) {
    this.grants = grants;
    this.isFull = isFull;
    this.#everywhere = grants.filter(({ zoneId }) => zoneId === null);
    const ofZone = new Map<number, CompiledGrant[]>();
    for (const grant of grants) {
      if (grant.zoneId === null) continue;
      const others = ofZone.get(grant.zoneId);
      if (others === undefined) ofZone.set(grant.zoneId, [grant]);
      else others.push(grant);
    }
    this.#ofZone = ofZone;
  }

  /** True when any grant reaches the zone, whatever it allows there. */
  sees(zoneId: number): boolean {
    return this.#someIn(zoneId, () => true);
  }

  /** The zones that grants reach; undefined when they reach all. */
  visibleZones(): ReadonlySet<number> | undefined {
    return this.isFull || this.#everywhere.length > 0 ? undefined : this.namedZones();
  }

  /** The zones that grants name one by one. */
  namedZones(): ReadonlySet<number> {
    return new Set(this.#ofZone.keys());
  }

  /** The names that grants in a zone are about, whatever they allow there. */
  namesIn(zoneId: number): readonly NamePattern[] {
    return [...this.#everywhere, ...this.#named(zoneId)].map(({ names }) => names);
  }

  /** An action in all zones, those to come included. */
  everywhere(action: Action): boolean {
    return (
      this.isFull ||
      this.#everywhere.some((grant) => grant.actions.has(action) && isWhole(grant, action))
    );
  }

  /** An action that is not about single records, in one zone. */
  inZone(action: Action, zoneId: number): boolean {
    if (allZonesOnly.has(action)) return this.everywhere(action);
    return this.#someIn(zoneId, (grant) => grant.actions.has(action));
  }

  /** A record action in a zone with no narrowing of names or types. */
  whole(action: RecordAction, zoneId: number): boolean {
    return this.#someIn(zoneId, (grant) => grant.actions.has(action) && isWhole(grant, action));
  }

  /** A record action on one name and type; without a type, on all types at the name. */
  onRecord(
    action: RecordAction,
    zoneId: number,
    owner: NameKey,
    type: number | undefined,
  ): boolean {
    return this.#someIn(zoneId, (grant) => {
      if (!grant.actions.has(action) || !matchesName(grant.names, owner)) return false;
      return type === undefined ? grant.types === undefined : matchesType(grant.types, type);
    });
  }

  /** A record action on all types at a name and at every name below it, by one grant. */
  onSubtree(action: RecordAction, zoneId: number, owner: NameKey): boolean {
    return this.#someIn(
      zoneId,
      ({ actions: held, types, names }) =>
        held.has(action) && types === undefined && coversSubtree(names, owner),
    );
  }

  /** True when any record action reaches the record. */
  seesRecord(zoneId: number, owner: NameKey, type: number): boolean {
    return recordActions.some((action) => this.onRecord(action, zoneId, owner, type));
  }

  /** Where an action on records is allowed; undefined when everywhere. */
  recordScopes(action: RecordAction): readonly RecordScope[] | undefined {
    if (this.everywhere(action)) return undefined;
    return this.grants.filter((grant) => grant.actions.has(action));
  }

  /** The actions held anywhere in a zone (narrowed or not), or in all zones, in storage order. */
  actionsIn(zoneId: number | null): HeldActions {
    const grants =
      zoneId === null ? this.#everywhere : [...this.#everywhere, ...this.#named(zoneId)];
    const held = (action: Action) =>
      this.isFull || grants.some((grant) => grant.actions.has(action));
    const wholly = (action: Action): action is RecordAction =>
      isRecordAction(action) &&
      (zoneId === null ? this.everywhere(action) : this.whole(action, zoneId));
    return { actions: actions.filter(held), whole: actions.filter(wholly) };
  }

  #named(zoneId: number): readonly CompiledGrant[] {
    return this.#ofZone.get(zoneId) ?? none;
  }

  /** True when full, or when a grant that reaches the zone passes the test. */
  #someIn(zoneId: number, test: (grant: CompiledGrant) => boolean): boolean {
    return this.isFull || this.#everywhere.some(test) || this.#named(zoneId).some(test);
  }
}

/** Rights of the administrator. */
export const fullRights = new Rights([], true);

/** Rights of nobody, and of a role without grants. */
export const noRights = new Rights([]);

/** Names and types narrow only the record actions. */
function isWhole(grant: CompiledGrant, action: Action): boolean {
  return !isRecordAction(action) || (grant.names.kind === 'any' && grant.types === undefined);
}

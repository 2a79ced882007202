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
} from '../../base/action.ts';
import { Memory } from '../../base/memory.ts';
import type { Grant } from './model.ts';
import {
  coversPattern,
  coversSubtree,
  matchesName,
  matchesType,
  type NamePattern,
  storedNamePattern,
  storedTypeSet,
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

/** Records of one zone that a grant reaches. No scope at all reaches nothing. */
export interface RecordScope {
  readonly names: NamePattern;
  readonly types: TypeSet;
}

/** Zones: all of them, those to come included, or some. */
export type ZoneSet = 'all' | ReadonlySet<number>;

/** Rights as another thread gets them. */
export interface RightsMessage {
  readonly isFull: boolean;
  readonly grants: readonly CompiledGrant[];
}

/** The actions held in a zone or in all, and the record actions among them without narrowing. */
export interface HeldActions {
  readonly actions: readonly Action[];
  readonly whole: readonly RecordAction[];
}

const none: readonly CompiledGrant[] = [];
const everyRecord: readonly RecordScope[] = [{ names: { kind: 'any' }, types: undefined }];

export class Rights {
  /** True for the built-in admin role, the local socket, and when authentication is off. */
  readonly isFull: boolean;
  /** True where every write needs a reason (Zonebook-Reason). */
  readonly reasonRequired: boolean;
  readonly #grants: readonly CompiledGrant[];
  /** Grants of all zones, and of each zone: a role may name many zones. */
  readonly #everywhere: readonly CompiledGrant[];
  readonly #ofZone: ReadonlyMap<number, readonly CompiledGrant[]>;
  readonly #scopesEverywhere = new Memory<RecordAction, readonly RecordScope[]>();

  constructor(grants: readonly CompiledGrant[], isFull = false, reasonRequired = false) {
    this.#grants = grants;
    this.isFull = isFull;
    this.reasonRequired = reasonRequired;
    this.#everywhere = grants.filter(({ zoneId }) => zoneId === null);
    const ofOneZone = grants.filter((grant) => grant.zoneId !== null);
    this.#ofZone = Map.groupBy(ofOneZone, ({ zoneId }) => zoneId!);
  }

  /** The same rights, as another thread had them sent. */
  static of({ isFull, grants }: RightsMessage): Rights {
    return isFull ? fullRights : new Rights(grants);
  }

  message(): RightsMessage {
    return { isFull: this.isFull, grants: this.#grants };
  }

  /** True when any grant reaches the zone, whatever it allows there. */
  sees(zoneId: number): boolean {
    return this.#anyIn(zoneId, () => true);
  }

  /** The zones that grants reach, whatever they allow there. */
  visibleZones(): ZoneSet {
    return this.isFull || this.#everywhere.length > 0 ? 'all' : this.namedZones();
  }

  /** The zones in which an action on records is allowed, narrowed or not. */
  zonesOf(action: RecordAction): ZoneSet {
    const allows = (grant: CompiledGrant) => grant.actions.has(action);
    if (this.isFull || this.#everywhere.some(allows)) return 'all';
    const ids = [...this.#ofZone].filter(([, grants]) => grants.some(allows)).map(([id]) => id);
    return new Set(ids);
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
    return this.#anyIn(zoneId, (grant) => grant.actions.has(action));
  }

  /** A record action in a zone with no narrowing of names or types. */
  whole(action: RecordAction, zoneId: number): boolean {
    return this.#anyIn(zoneId, (grant) => grant.actions.has(action) && isWhole(grant, action));
  }

  /** A record action on one name and type; without a type, on all types at the name. */
  onRecord(
    action: RecordAction,
    zoneId: number,
    owner: NameKey,
    type: number | undefined,
  ): boolean {
    return this.#anyIn(zoneId, (grant) => {
      if (!grant.actions.has(action) || !matchesName(grant.names, owner)) return false;
      return type === undefined ? grant.types === undefined : matchesType(grant.types, type);
    });
  }

  /** A record action on all types at a name and at every name below it, by one grant. */
  onSubtree(action: RecordAction, zoneId: number, owner: NameKey): boolean {
    return this.#anyIn(
      zoneId,
      ({ actions: held, types, names }) =>
        held.has(action) && types === undefined && coversSubtree(names, owner),
    );
  }

  /** True when any record action reaches the record. */
  seesRecord(zoneId: number, owner: NameKey, type: number): boolean {
    return recordActions.some((action) => this.onRecord(action, zoneId, owner, type));
  }

  /** Where in a zone an action on records is allowed; of zones that no grant names one by one the same array. */
  scopesIn(action: RecordAction, zoneId: number): readonly RecordScope[] {
    if (this.isFull) return everyRecord;
    const allows = (grant: CompiledGrant) => grant.actions.has(action);
    const everywhere = this.#scopesEverywhere.of(action, () => this.#everywhere.filter(allows));
    const named = this.#named(zoneId).filter(allows);
    return named.length === 0 ? everywhere : [...everywhere, ...named];
  }

  /** True when whatever the other rights allow is allowed by these. */
  include(other: Rights): boolean {
    if (this.isFull) return true;
    return !other.isFull && other.#grants.every((grant) => this.#includeGrant(grant));
  }

  #includeGrant({ zoneId, actions: granted, names, types }: CompiledGrant): boolean {
    const reaching = this.#grants.filter((mine) => mine.zoneId === null || mine.zoneId === zoneId);
    const onType = (action: Action, type: number | undefined) =>
      reaching.some(
        (mine) =>
          mine.actions.has(action) &&
          coversPattern(mine.names, names) &&
          (type === undefined ? mine.types === undefined : matchesType(mine.types, type)),
      );
    return [...granted].every((action) => {
      if (!isRecordAction(action)) return reaching.some((mine) => mine.actions.has(action));
      return types === undefined
        ? onType(action, undefined)
        : [...types].every((type) => onType(action, type));
    });
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
  #anyIn(zoneId: number, test: (grant: CompiledGrant) => boolean): boolean {
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

/** Prepares a stored grant for checks. */
export function compileGrant(grant: Grant): CompiledGrant {
  return {
    zoneId: grant.zoneId,
    actions: new Set(grant.actions),
    names: storedNamePattern(grant.recordNamePattern),
    types: storedTypeSet(grant.recordTypes),
  };
}

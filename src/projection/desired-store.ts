/** RRsets that teams own, with what each is to be (domain/desired.ts). Of deleted zones too, until they are purged. */
import { and, asc, eq } from 'drizzle-orm';
import { keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import type { DesiredFact, DesiredRrset } from '../domain/desired.ts';
import type { Connection } from '../journal/database.ts';
import { desiredRrset } from './schema.ts';
import { deleting, given, preparedOnce, putting, type Row, tablesOf } from './tables.ts';

const { zoneId, owner: ownerColumn, type: typeColumn, team: teamColumn } = desiredRrset;

function rrsetOf({ owner, type, team, ttl, rdata }: Row<typeof desiredRrset>): DesiredRrset {
  return { owner: keyFromBytes(owner), type, team, ttl, values: rdata.split(' ') };
}

const queriesIn = preparedOnce((tables) => {
  const ofZone = eq(zoneId, given('zoneId'));
  const one = and(ofZone, eq(ownerColumn, given('owner')), eq(typeColumn, given('type')));
  const rows = () => tables.select().from(desiredRrset).$dynamic();
  return {
    all: rows().where(ofZone).orderBy(asc(ownerColumn), asc(typeColumn)).prepare(),
    ofTeam: rows()
      .where(and(ofZone, eq(teamColumn, given('team'))))
      .orderBy(asc(ownerColumn), asc(typeColumn))
      .prepare(),
    at: rows().where(one).prepare(),
    release: tables.delete(desiredRrset).where(one).prepare(),
  };
});

/** Reads what the connection sees, an open commit included. */
export class DesiredQueries {
  readonly #queries: ReturnType<typeof queriesIn>;

  constructor(connection: Connection) {
    this.#queries = queriesIn(connection);
  }

  /** In canonical order, as the next. */
  of(zone: number): DesiredRrset[] {
    return this.#queries.all.all({ zoneId: zone }).map(rrsetOf);
  }

  by(zone: number, team: string): DesiredRrset[] {
    return this.#queries.ofTeam.all({ zoneId: zone, team }).map(rrsetOf);
  }

  at(zone: number, owner: NameKey, type: number): DesiredRrset | undefined {
    const row = this.#queries.at.get({ zoneId: zone, owner: keyToBytes(owner), type });
    return row && rrsetOf(row);
  }
}

export class DesiredStore {
  readonly #put: (row: Row<typeof desiredRrset>) => void;
  readonly #release: ReturnType<typeof queriesIn>['release'];
  readonly #removeZone: (zoneId: number) => void;

  constructor(connection: Connection) {
    const tables = tablesOf(connection);
    this.#put = putting(tables, desiredRrset, ['zoneId', 'owner', 'type']);
    this.#release = queriesIn(connection).release;
    this.#removeZone = deleting(tables, desiredRrset, zoneId);
  }

  apply(zone: number, { put, released }: DesiredFact): void {
    for (const { owner, type } of released) {
      this.#release.run({ zoneId: zone, owner: keyToBytes(owner), type });
    }
    for (const { owner, type, team, ttl, values } of put) {
      const rdata = values.join(' ');
      this.#put({ zoneId: zone, owner: keyToBytes(owner), type, team, ttl, rdata });
    }
  }

  removeZone(zone: number): void {
    this.#removeZone(zone);
  }
}

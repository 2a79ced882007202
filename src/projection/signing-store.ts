/**
 * How zones are signed, as the open commit has it. What is read is kept in memory: most zones are not
 * signed, and every step asks.
 */
import { and, eq, gt, inArray, isNotNull, type SQL, sql } from 'drizzle-orm';
import {
  type StoredSigning,
  signingOf,
  storedSigning,
  type ZoneSigning,
} from '../domain/signing.ts';
import type { Connection } from '../journal/database.ts';
import { deletedZone, zone, zoneSigning } from './schema.ts';
import {
  deleting,
  given,
  preparedOnce,
  putting,
  type Row,
  rowBy,
  type Tables,
  tablesOf,
} from './tables.ts';

/** Zones kept in memory. */
const keptZones = 100_000;

function stateOf(state: string): ZoneSigning {
  return signingOf(JSON.parse(state) as StoredSigning);
}

/** A stored state as it would be written today: older versions said less, which is read as what they meant. */
export function stateAsOfToday(state: string): string {
  try {
    return JSON.stringify(storedSigning(stateOf(state)));
  } catch {
    // It is no state at all.
    return state;
  }
}

export class SigningStore {
  readonly #queries: SigningQueries;
  readonly #put: (row: Row<typeof zoneSigning>) => void;
  readonly #delete: (zoneId: number) => void;
  readonly #known = new Map<number, ZoneSigning | undefined>();

  constructor(connection: Connection) {
    const tables = tablesOf(connection);
    this.#queries = new SigningQueries(connection);
    this.#put = putting(tables, zoneSigning, ['zoneId']);
    this.#delete = deleting(tables, zoneSigning, zoneSigning.zoneId);
  }

  /** Undefined for a zone that was never signed and knows no parents. */
  of(zoneId: number): ZoneSigning | undefined {
    const known = this.#known.get(zoneId);
    if (known !== undefined || this.#known.has(zoneId)) return known;
    const signing = this.#queries.of(zoneId);
    if (this.#known.size >= keptZones) this.#known.clear();
    this.#known.set(zoneId, signing);
    return signing;
  }

  put(zoneId: number, signing: ZoneSigning): void {
    const state = JSON.stringify(storedSigning(signing));
    this.#put({ zoneId, policyId: signing.policyId, state });
    this.#known.set(zoneId, signing);
  }

  remove(zoneId: number): void {
    this.#delete(zoneId);
    this.#known.delete(zoneId);
  }

  forget(): void {
    this.#known.clear();
  }
}

/** A stored zone that is signed. */
export interface SignedZone {
  readonly zoneId: number;
  readonly signing: ZoneSigning;
}

/** Signed zones read at a time. */
const zonesPerRead = 500;

const queriesIn = preparedOnce((tables) => {
  const { zoneId, policyId, state } = zoneSigning;
  const stored = inArray(zoneId, tables.select({ id: zone.id }).from(zone));
  return {
    get: rowBy(tables, zoneSigning, zoneId),
    signedAfter: tables
      .select({ zoneId, state })
      .from(zoneSigning)
      .where(and(isNotNull(policyId), gt(zoneId, given('last')), stored))
      .orderBy(zoneId)
      .limit(zonesPerRead)
      .prepare(),
  };
});

/** Reads of what is committed. */
export class SigningQueries {
  readonly #tables: Tables;
  readonly #queries: ReturnType<typeof queriesIn>;

  constructor(connection: Connection) {
    this.#tables = tablesOf(connection);
    this.#queries = queriesIn(connection);
  }

  of(zoneId: number): ZoneSigning | undefined {
    const row = this.#queries.get(zoneId);
    return row && stateOf(row.state);
  }

  /** All stored zones that are signed, by id. */
  *signedZones(): Generator<SignedZone> {
    let last = 0;
    while (true) {
      const rows = this.#queries.signedAfter.all({ last });
      for (const { zoneId, state } of rows) yield { zoneId, signing: stateOf(state) };
      const end = rows.at(-1);
      if (end === undefined) return;
      last = end.zoneId;
    }
  }

  /** Names of the stored zones that are signed under a policy. */
  zonesUnder(policyId: number): readonly string[] {
    return this.#namesOf(zone, eq(zoneSigning.policyId, policyId));
  }

  /** Names of the deleted zones that would be signed under a policy if they were restored. */
  deletedZonesUnder(policyId: number): readonly string[] {
    return this.#namesOf(deletedZone, eq(zoneSigning.policyId, policyId));
  }

  /** Names of the zones, deleted ones too, that come under a policy again if their move from it is aborted. */
  zonesMovedFrom(policyId: number): readonly string[] {
    const { state } = zoneSigning;
    const wasUnder = sql`CASE WHEN json_valid(${state})
      THEN json_extract(${state}, '$.movedFromPolicyId') = ${policyId} END`;
    return [zone, deletedZone].flatMap((table) => this.#namesOf(table, wasUnder)).sort();
  }

  #namesOf(table: typeof zone | typeof deletedZone, where: SQL): readonly string[] {
    return this.#tables
      .select({ name: table.name })
      .from(table)
      .innerJoin(zoneSigning, eq(zoneSigning.zoneId, table.id))
      .where(where)
      .orderBy(table.name)
      .all()
      .map(({ name }) => name);
  }
}

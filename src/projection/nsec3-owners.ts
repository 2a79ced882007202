/**
 * The owners of NSEC3 records of each content, in their order: what stands before a hash is found in one
 * step, however many names of users lie between. Written at once, for the open commit reads it too.
 */
import { keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { generationOfZone } from './block-row.ts';

/** After the key of every name. */
const afterAll = Buffer.alloc(256, 0xff);

export class Nsec3Owners {
  readonly #insert: Statement;
  readonly #delete: Statement;
  readonly #before: Statement;

  constructor(connection: Connection) {
    this.#insert = connection.prepare(
      'INSERT OR IGNORE INTO nsec3_owner (content, owner) VALUES (?, ?)',
    );
    this.#delete = connection.prepare('DELETE FROM nsec3_owner WHERE content = ? AND owner = ?');
    // Row values, for the reason that floorQuery has.
    this.#before = connection.prepare(
      `SELECT content, owner FROM nsec3_owner WHERE (content, owner) < (?, ?)
       ORDER BY content DESC, owner DESC LIMIT 1`,
    );
  }

  /** Takes in the DNSSEC records that a step removed and added. */
  apply(
    generation: () => number,
    removed: readonly ResourceRecord[],
    added: readonly ResourceRecord[],
  ): void {
    const joining = ownersIn(added);
    for (const owner of ownersIn(removed)) {
      if (joining.delete(owner)) continue;
      this.#delete.run([generation(), keyToBytes(owner)]);
    }
    for (const owner of joining) this.#insert.run([generation(), keyToBytes(owner)]);
  }

  /** The last owner before one; the last of all when that is undefined. */
  before(generation: number, owner: NameKey | undefined): NameKey | undefined {
    const key = owner === undefined ? afterAll : keyToBytes(owner);
    return ownerIn(generation, this.#before.get(generation, key));
  }
}

/** The same for those who read: what a zone shows now, by its id. */
export class Nsec3OwnerReader {
  readonly #upTo: Statement;
  readonly #last: Statement;

  constructor(connection: Connection) {
    // Row values, for the reason that floorQuery has.
    this.#upTo = connection.prepare(
      `SELECT content = ${generationOfZone} AS isOfZone, owner FROM nsec3_owner
       WHERE (content, owner) <= (${generationOfZone}, ?)
       ORDER BY content DESC, owner DESC LIMIT 1`,
    );
    this.#last = connection
      .prepare(`SELECT max(owner) FROM nsec3_owner WHERE content = ${generationOfZone}`)
      .pluck();
  }

  /** The owner that matches a hash or covers it. */
  upTo(zoneId: number, owner: NameKey): NameKey | undefined {
    const row = this.#upTo.get(zoneId, zoneId, keyToBytes(owner)) as UpToRow | undefined;
    if (row?.isOfZone === 1) return keyFromBytes(row.owner);
    // Before the first of the chain stands the last one.
    const last = this.#last.get(zoneId) as Buffer | null;
    return last === null ? undefined : keyFromBytes(last);
  }
}

interface UpToRow {
  readonly isOfZone: number;
  readonly owner: Buffer;
}

/** The owner of a row, unless it is another content's. */
function ownerIn(generation: number, row: unknown): NameKey | undefined {
  const found = row as { readonly content: number; readonly owner: Buffer } | undefined;
  return found?.content === generation ? keyFromBytes(found.owner) : undefined;
}

function ownersIn(records: readonly ResourceRecord[]): Set<NameKey> {
  const owners = new Set<NameKey>();
  for (const { type, owner } of records) if (type === rrtype.NSEC3) owners.add(owner);
  return owners;
}

/**
 * The owners of NSEC3 records of each content, in their order: what stands before a hash is found in one
 * step, however many names of users lie between. Written, or noted, at once, for the open commit reads it too.
 */
import { keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import type { Connection, Statement } from '../journal/database.ts';
import type { Write, Writes } from '../journal/writes.ts';
import { contentOfZone } from './block-row.ts';

/** After the key of every name. */
const afterAll = Buffer.alloc(256, 0xff);

/** Owners of one content that came or went and can not be read yet. */
type Changes = Map<NameKey, 'here' | 'gone'>;

export class Nsec3Owners {
  readonly #writes: Writes;
  readonly #insert: Write;
  readonly #delete: Write;
  readonly #before: Statement;
  /**
   * What is noted for another thread, by contents; before it, batch by batch, what is on its way to the
   * disk already.
   */
  #noted: Map<number, Changes>[] = [new Map()];

  constructor(connection: Connection, writes: Writes) {
    this.#writes = writes;
    this.#insert = writes.statement(
      'INSERT OR IGNORE INTO nsec3_owner (content, owner) VALUES (?, ?)',
    );
    this.#delete = writes.statement('DELETE FROM nsec3_owner WHERE content = ? AND owner = ?');
    // Row values, for the reason that floorQuery has.
    this.#before = connection.prepare(
      `SELECT content, owner FROM nsec3_owner WHERE (content, owner) < (?, ?)
       ORDER BY content DESC, owner DESC LIMIT 1`,
    );
  }

  /** Takes in the derived halves of a step. */
  apply(
    content: () => number,
    removed: readonly ResourceRecord[],
    added: readonly ResourceRecord[],
  ): void {
    const joining = ownersIn(added);
    for (const owner of ownersIn(removed)) {
      if (joining.delete(owner)) continue;
      this.#delete.run([content(), keyToBytes(owner)]);
      this.#note(content, owner, 'gone');
    }
    for (const owner of joining) {
      this.#insert.run([content(), keyToBytes(owner)]);
      this.#note(content, owner, 'here');
    }
  }

  /** The last owner before one; the last of all when that is undefined. */
  before(content: number, owner: NameKey | undefined): NameKey | undefined {
    return this.#last(content, owner);
  }

  /** What was noted is handed to the other thread. */
  handOver(): void {
    this.#noted.push(new Map());
  }

  /** The first that was handed over is on disk. */
  arrived(): void {
    this.#noted.shift();
  }

  forget(): void {
    this.#noted = [new Map()];
  }

  #note(content: () => number, owner: NameKey, state: 'here' | 'gone'): void {
    if (!this.#writes.isNoted) return;
    const noted = this.#noted.at(-1)!;
    let changes = noted.get(content());
    if (changes === undefined) {
      changes = new Map();
      noted.set(content(), changes);
    }
    changes.set(owner, state);
  }

  #last(content: number, limit: NameKey | undefined): NameKey | undefined {
    let last = this.#stored(content, limit);
    const noted = this.#noted.map((one) => one.get(content)).filter((one) => one !== undefined);
    if (noted.length === 0) return last;
    const isGone = (owner: NameKey) =>
      noted.findLast((changes) => changes.has(owner))?.get(owner) === 'gone';
    while (last !== undefined && isGone(last)) last = this.#stored(content, last);
    for (const changes of noted) {
      for (const owner of changes.keys()) {
        if (limit !== undefined && owner >= limit) continue;
        if ((last === undefined || owner > last) && !isGone(owner)) last = owner;
      }
    }
    return last;
  }

  #stored(content: number, limit: NameKey | undefined): NameKey | undefined {
    const key = limit === undefined ? afterAll : keyToBytes(limit);
    return ownerIn(content, this.#before.get(content, key));
  }
}

/** The same for those who read: what a zone shows now, by its id. */
export class Nsec3OwnerReader {
  readonly #upTo: Statement;
  readonly #last: Statement;

  constructor(connection: Connection) {
    // Row values, for the reason that floorQuery has.
    this.#upTo = connection.prepare(
      `SELECT content = ${contentOfZone} AS isOfZone, owner FROM nsec3_owner
       WHERE (content, owner) <= (${contentOfZone}, ?)
       ORDER BY content DESC, owner DESC LIMIT 1`,
    );
    this.#last = connection
      .prepare(`SELECT max(owner) FROM nsec3_owner WHERE content = ${contentOfZone}`)
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
function ownerIn(content: number, row: unknown): NameKey | undefined {
  const found = row as { readonly content: number; readonly owner: Buffer } | undefined;
  return found?.content === content ? keyFromBytes(found.owner) : undefined;
}

function ownersIn(records: readonly ResourceRecord[]): Set<NameKey> {
  const owners = new Set<NameKey>();
  for (const { type, owner } of records) if (type === rrtype.NSEC3) owners.add(owner);
  return owners;
}

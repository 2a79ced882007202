/**
 * Rows of the table `block`: every read of one goes through this file, which compares its checksum before anybody
 * sees what it holds, and that it is the block which was asked for.
 *
 * A block names the first owner of the block after it. So an index that leads to a wrong block, or to none, is found
 * out by the row itself, and so is a row that is missing. StoredDamage is thrown for all of that.
 */
import { emptyName, keyFromBytes, keyToBytes, type NameKey } from '../dns/name.ts';
import { checksumOfBlock, checksumOfIds, type KeySpan, spanOfAll } from '../journal/checksum.ts';
import { damageIn } from '../journal/damage.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { identityBytes } from '../journal/identity.ts';
import type { BlockRecords } from './block.ts';

/** A block without its identities. */
export interface PackedBlockRow extends Pick<BlockRecords, 'count' | 'records'> {
  readonly content: number;
  readonly first: Buffer;
  /** The first owner of the block after it; null in the last. */
  readonly next: Buffer | null;
}

export interface BlockRow extends PackedBlockRow, BlockRecords {
  readonly id: number;
}

interface Stored extends PackedBlockRow {
  readonly checksum: number;
}

interface StoredWhole extends Stored, BlockRow {
  readonly idsChecksum: number;
}

const packedColumns = 'content, first, next, count, checksum, records';
const allColumns = `id, content, first, next, count, user_count AS userCount, checksum,
  ids_checksum AS idsChecksum, records, ids`;

/** What a zone shows now. A content is replaced as a whole by pointing the zone at another. */
export const generationOfZone = '(SELECT content FROM zone WHERE id = ?)';

/** The same, or what a deleted zone showed last. */
export const generationOfZoneEver = `(SELECT content FROM
  (SELECT id, content FROM zone UNION ALL SELECT id, content FROM deleted_zone) WHERE id = ?)`;

/** Of zones that are there, or of deleted ones too. */
export const generationOf = (whose: 'stored' | 'ever') =>
  whose === 'ever' ? generationOfZoneEver : generationOfZone;

/** The checksums of a block that is to be written. */
export function checksumsOf(
  block: PackedBlockRow & Pick<BlockRow, 'userCount' | 'ids'>,
): readonly [checksum: number, idsChecksum: number] {
  return [checksumOf(block), checksumOfIds(block.ids, block.userCount)];
}

function checksumOf({ content: generation, first, next, count, records }: PackedBlockRow): number {
  const limit = next === null ? undefined : spanOfAll(next);
  return checksumOfBlock(generation, spanOfAll(first), limit, count, records);
}

/** Damage may also have changed the type of a value. */
function isRight(row: Stored): boolean {
  const { first, next, records } = row;
  const isFormed = isBytes(first) && (next === null || isBytes(next)) && isBytes(records);
  return isFormed && row.checksum === checksumOf(row);
}

function isWhollyRight(row: StoredWhole): boolean {
  return (
    isRight(row) &&
    isBytes(row.ids) &&
    row.ids.length === row.count * identityBytes &&
    row.idsChecksum === checksumOfIds(row.ids, row.userCount)
  );
}

function isBytes(value: unknown): boolean {
  return Buffer.isBuffer(value);
}

/** The owners of a block: those it would hold if they were there. */
function covers({ first, next }: PackedBlockRow, owner: Buffer): boolean {
  return first.compare(owner) <= 0 && (next === null || owner.compare(next) < 0);
}

/** Reads whole blocks by a condition; `rest` follows `FROM block`. */
export class BlockQuery {
  readonly #connection: Connection;
  readonly #statement: Statement;

  constructor(connection: Connection, rest: string) {
    this.#connection = connection;
    this.#statement = connection.prepare(`SELECT ${allColumns} FROM block ${rest}`);
  }

  get(...values: unknown[]): BlockRow | undefined {
    const row = this.#statement.get(...values);
    return row === undefined ? undefined : this.#checked(row);
  }

  all(...values: unknown[]): BlockRow[] {
    return this.#statement.all(...values).map((row) => this.#checked(row));
  }

  *iterate(...values: unknown[]): Generator<BlockRow> {
    for (const row of this.#statement.iterate(...values)) yield this.#checked(row);
  }

  #checked(row: unknown): BlockRow {
    const stored = row as StoredWhole;
    if (isWhollyRight(stored)) return stored;
    throw damageIn(this.#connection, { table: 'block', content: stored.content });
  }
}

/**
 * The last block at or before a name in a content. Written with row values, because SQLite (with STAT4, as it is
 * built here) plans `content = ? ... ORDER BY first` anew at every run: 30 µs instead of 8.
 */
function floorSql(columns: string, generation: string, comparison: '<=' | '<'): string {
  return `SELECT ${columns} FROM block WHERE (content, first) ${comparison} (${generation}, ?)
    ORDER BY content DESC, first DESC LIMIT 1`;
}

interface Asked {
  /** The content that was asked for; null when there is no such zone. */
  readonly asked: number | null;
}

/** Finds the block that an owner of a zone stands in, if it stands anywhere. */
export class FloorQuery {
  readonly #connection: Connection;
  readonly #statement: Statement;
  readonly #asked: Statement;
  readonly #isWhole: boolean;

  constructor(connection: Connection, form: 'packed' | 'whole', generation = generationOfZone) {
    this.#connection = connection;
    this.#isWhole = form === 'whole';
    this.#asked = connection.prepare(`SELECT ${generation} AS asked`);
    const columns = this.#isWhole ? allColumns : packedColumns;
    this.#statement = connection.prepare(
      floorSql(`${columns}, ${generation} AS asked`, generation, '<='),
    );
  }

  /** Undefined when there is no such zone. */
  get(zoneId: number, owner: Buffer): PackedBlockRow | undefined {
    const row = this.#floor(zoneId, owner) ?? this.#floorOfLowest(zoneId, owner);
    if (row === undefined) return undefined;
    const isIntact = this.#isWhole ? isWhollyRight(row) : isRight(row);
    if (isIntact && row.content === row.asked && covers(row, owner)) return row;
    throw damageIn(this.#connection, { table: 'block', content: row.asked ?? row.content });
  }

  #floor(zoneId: number, owner: Buffer) {
    return this.#statement.get(zoneId, zoneId, owner) as (StoredWhole & Asked) | undefined;
  }

  /** Nothing is found of no zone, or where the first of all blocks is missing; one may have come a moment ago. */
  #floorOfLowest(zoneId: number, owner: Buffer) {
    const { asked: generation } = this.#asked.get(zoneId) as Asked;
    if (generation === null) return undefined;
    const row = this.#floor(zoneId, owner);
    if (row === undefined)
      throw damageIn(this.#connection, { table: 'block', content: generation });
    return row;
  }
}

/** The same by the number of a content, for whoever writes. */
export class GenerationFloorQuery {
  readonly #connection: Connection;
  readonly #floor: Statement;
  readonly #before: Statement;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#floor = connection.prepare(floorSql(allColumns, '?', '<='));
    this.#before = connection.prepare(floorSql(allColumns, '?', '<'));
  }

  /** The block that an owner stands in. There is one in every stored content. */
  get(generation: number, owner: Buffer): BlockRow {
    const row = this.#floor.get(generation, owner) as StoredWhole | undefined;
    return this.#checked(generation, row, row !== undefined && covers(row, owner));
  }

  /** The block that ends where another one, which is not the first, begins. */
  before(generation: number, first: Buffer): BlockRow {
    const row = this.#before.get(generation, first) as StoredWhole | undefined;
    return this.#checked(generation, row, row?.next?.equals(first) === true);
  }

  #checked(generation: number, row: StoredWhole | undefined, isAsked: boolean): BlockRow {
    if (row !== undefined && isAsked && row.content === generation && isWhollyRight(row))
      return row;
    throw damageIn(this.#connection, { table: 'block', content: generation });
  }
}

/** Consecutive blocks of a zone in one piece. */
export interface JoinedBlocks {
  readonly count: number;
  readonly records: Buffer;
  /** Empty unless they were asked for. */
  readonly ids: Buffer;
  /** The first owner beyond them; undefined at the end of the zone. */
  readonly limit: NameKey | undefined;
}

interface JoinedRow extends Asked {
  /** Of each block: bytes of its key, records, bytes of those, and the checksum without its content. */
  readonly heads: string | null;
  /** Of each block: user records, and the checksum of the identities. */
  readonly idHeads: string | null;
  readonly firsts: Buffer;
  readonly records: Buffer;
  readonly ids: Buffer | null;
  readonly next: Buffer | null;
}

const noIds = Buffer.alloc(0);
const wholeZone = { from: emptyName, to: undefined };
const headNumbers = 4;
const idHeadNumbers = 2;

/** Joined by SQLite: as rows, each block would cost more to return than to read. */
export class JoinedBlockQuery {
  readonly #connection: Connection;
  readonly #statement: Statement;

  /** `whose`: of zones that are there, or of deleted ones too. */
  constructor(
    connection: Connection,
    form: 'packed' | 'whole',
    whose: 'stored' | 'ever' = 'stored',
  ) {
    this.#connection = connection;
    const isWhole = form === 'whole';
    const generation = generationOf(whose);
    const ids = isWhole
      ? `group_concat(idHead) AS idHeads,
         CAST(group_concat(ids, '') AS BLOB) AS ids`
      : 'NULL AS idHeads, NULL AS ids';
    // The greatest `next` is that of the last block; or, where that has none, the key of the last block itself.
    this.#statement = connection.prepare(
      `SELECT ${generation} AS asked, max(next) AS next,
        group_concat(head) AS heads,
        CAST(group_concat(first, '') AS BLOB) AS firsts,
        CAST(group_concat(records, '') AS BLOB) AS records, ${ids}
       FROM (SELECT first, next, records, length(first) || ',' || count || ',' || length(records) || ',' ||
          (checksum - content) AS head
          ${isWhole ? ", user_count || ',' || ids_checksum AS idHead, ids" : ''} FROM block
        WHERE content = ${generation} AND first >= (${floorSql('first', generation, '<=')})
        ORDER BY first LIMIT ?)`,
    );
  }

  /** All blocks of a zone that hold a range of owners, or of the whole zone, some at a time. */
  *runs(
    zoneId: number,
    blocksPerRun: number,
    { from, to }: { readonly from: NameKey; readonly to: NameKey | undefined } = wholeZone,
  ): Generator<JoinedBlocks> {
    let start: NameKey | undefined = from;
    while (start !== undefined && (to === undefined || start < to)) {
      const run = this.get(zoneId, keyToBytes(start), blocksPerRun);
      if (run === undefined) return;
      yield run;
      start = run.limit;
    }
  }

  /** At most `blocks` of them, from the one on that an owner stands in; undefined when there is no such zone. */
  get(zoneId: number, from: Buffer, blocks: number): JoinedBlocks | undefined {
    const row = this.#statement.get(zoneId, zoneId, zoneId, from, blocks) as JoinedRow;
    if (row.asked === null) return undefined;
    const next = limitOf(row);
    const count = checkedCount(row, next, from);
    if (count === undefined) {
      throw damageIn(this.#connection, { table: 'block', content: row.asked });
    }
    const limit = next === null ? undefined : keyFromBytes(next);
    return { count, records: row.records, ids: row.ids ?? noIds, limit };
  }
}

/** Where joined blocks end; null at the end of the zone. */
function limitOf({ heads, firsts, next }: JoinedRow): Buffer | null {
  if (next === null || heads === null) return null;
  // Of the head of the last block, which stands behind no comma but its own three.
  const lastHead = heads.lastIndexOf(',', heads.lastIndexOf(',', heads.lastIndexOf(',') - 1) - 1);
  const bytes = Number.parseInt(heads.slice(heads.lastIndexOf(',', lastHead - 1) + 1), 10);
  return next.equals(firsts.subarray(Math.max(0, firsts.length - bytes))) ? null : next;
}

/** The records of joined blocks; undefined when these are not what was written. */
function checkedCount(row: JoinedRow, next: Buffer | null, from: Buffer): number | undefined {
  try {
    const count = countOf(row, next, from);
    return areRight(row) ? count : undefined;
  } catch (error) {
    // Lengths that lead out of the bytes, or what is no number.
    if (error instanceof RangeError || error instanceof SyntaxError) return undefined;
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * The records of joined blocks; undefined when a checksum does not fit, or the first block is not that of `from`.
 * That each block follows on the one before is part of its checksum.
 */
function countOf(
  { heads, firsts, records }: JoinedRow,
  next: Buffer | null,
  from: Buffer,
): number | undefined {
  if (heads === null) return undefined;
  const numbers = JSON.parse(`[${heads}]`) as number[];
  let total = 0;
  let first: KeySpan = { bytes: firsts, start: 0, end: numbers[0]! };
  let recordsAt = 0;
  const isBefore = firsts.compare(from, 0, from.length, first.start, first.end) <= 0;
  if (!isBefore) return undefined;
  for (let at = 0; at < numbers.length; at += headNumbers) {
    const count = numbers[at + 1]!;
    const recordsEnd = recordsAt + numbers[at + 2]!;
    const isLast = at + headNumbers === numbers.length;
    const later = isLast
      ? lastLimit(next)
      : { bytes: firsts, start: first.end, end: first.end + numbers[at + headNumbers]! };
    if (at === 0 && !endsAfter(later, from)) return undefined;
    const packed = records.subarray(recordsAt, recordsEnd);
    if (checksumOfBlock(0, first, later, count, packed) !== numbers[at + 3]) return undefined;
    total += count;
    recordsAt = recordsEnd;
    if (later !== undefined) first = later;
  }
  return total;
}

function lastLimit(next: Buffer | null): KeySpan | undefined {
  return next === null ? undefined : spanOfAll(next);
}

function endsAfter(limit: KeySpan | undefined, from: Buffer): boolean {
  return limit === undefined || from.compare(limit.bytes, limit.start, limit.end) < 0;
}

function areRight({ heads, idHeads, ids }: JoinedRow): boolean {
  if (idHeads === null || ids === null) return true;
  const numbers = JSON.parse(`[${heads}]`) as number[];
  const idNumbers = JSON.parse(`[${idHeads}]`) as number[];
  let start = 0;
  for (let index = 0; index * idHeadNumbers < idNumbers.length; index++) {
    const end = start + numbers[index * headNumbers + 1]! * identityBytes;
    const userCount = idNumbers[index * idHeadNumbers]!;
    const sum = checksumOfIds(ids.subarray(start, end), userCount);
    if (sum !== idNumbers[index * idHeadNumbers + 1]) return false;
    start = end;
  }
  return true;
}

/** Rows as they are stored, whether they are right or not: for whoever puts them right. */
export interface RawBlockRow extends BlockRow {
  readonly checksum: number;
  readonly idsChecksum: number;
}

/** All rows of a content by the index, unchecked, in its order. */
export function* rawBlocks(connection: Connection, generation: number): Generator<RawBlockRow> {
  const rows = connection.prepare(
    `SELECT ${allColumns} FROM block WHERE content = ? ORDER BY first`,
  );
  yield* rows.iterate(generation) as IterableIterator<RawBlockRow>;
}

/** One row, unchecked. */
export function rawBlock(connection: Connection, id: number): RawBlockRow | undefined {
  const row = connection.prepare(`SELECT ${allColumns} FROM block WHERE id = ?`).get(id);
  return row as RawBlockRow | undefined;
}

/** Whether a row as it is stored is what was written. */
export function isIntact(row: RawBlockRow): boolean {
  return isWhollyRight(row);
}

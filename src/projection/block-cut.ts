/**
 * Which owners begin a block: the apex, and others by a hash of the name with a key that each database draws for
 * itself. Nobody can choose names by it, and an owner with many bytes is the more likely to begin one:
 *
 *   hash(key, owner) < 2^32 * max(1 / ownersPerBlock, bytes / blockBytes)
 *
 * So blocks have about 32 owners and less than 16 KiB where owners are small, and a large owner stands alone or with
 * some small ones behind it, whoever chose its name. It is a function of what the zone holds: a rebuild with the key
 * gives the same blocks.
 *
 * A database that had events before there were keys has none until `zonebook journal rebuild` draws one.
 */
import { keyedHash } from '../base/keyed-hash.ts';
import type { NameKey } from '../dns/name.ts';
import type { Connection } from '../journal/database.ts';
import { blockCut } from './schema.ts';
import { tablesOf } from './tables.ts';

export interface BlockCut {
  /** `bytes`: of all records at the owner, packed. */
  begins(owner: NameKey, bytes: number): boolean;
}

const ownersPerBlock = 32;
/** An owner with 16 KiB of records always begins a block. */
const blockBytes = 16_384;

const hashes = 2 ** 32;
const hashesPerByte: number = hashes / blockBytes;
const fewestHashes: number = hashes / ownersPerBlock;

class KeyedCut implements BlockCut {
  readonly #key0: number;
  readonly #key1: number;

  constructor(key: Buffer) {
    this.#key0 = key.readInt32LE(0);
    this.#key1 = key.readInt32LE(4);
  }

  begins(owner: NameKey, bytes: number): boolean {
    if (owner === '' || bytes >= blockBytes) return true;
    const chosen = Math.max(fewestHashes, bytes * hashesPerByte);
    return keyedHash(this.#key0, this.#key1, owner) < chosen;
  }
}

/** The cut of databases without a key: by FNV-1a over the name alone. */
export const formerCut: BlockCut = {
  begins(owner) {
    if (owner === '') return true;
    let hash = 0x811c9dc5;
    for (let at = 0; at < owner.length; at++) {
      hash = Math.imul(hash ^ owner.charCodeAt(at), 0x01000193);
    }
    return ((hash ^ (hash >>> 15)) >>> 0) % ownersPerBlock === 0;
  },
};

/** The cut by a key of 8 bytes. */
export function cutBy(key: Buffer): BlockCut {
  return new KeyedCut(key);
}

/** The cut of a database; its blocks are all cut by it. */
export function blockCutOf(connection: Connection): BlockCut {
  const key = keyIn(connection);
  return key === undefined ? formerCut : cutBy(key);
}

function keyIn(connection: Connection): Buffer | undefined {
  return tablesOf(connection).select().from(blockCut).get()?.key;
}

/** Draws a key where there is none. All blocks have to be made again then. */
export function drawBlockKey(connection: Connection): void {
  connection.exec(
    'INSERT INTO block_cut (key) SELECT randomblob(8) WHERE NOT EXISTS (SELECT 1 FROM block_cut)',
  );
}

/** Has blocks cut in an empty database as they are in another. */
export function copyBlockKey(from: Connection, into: Connection): void {
  const key = keyIn(from);
  if (key !== undefined) tablesOf(into).insert(blockCut).values({ key }).run();
}

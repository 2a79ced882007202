/**
 * Sends the slices of a stage from the thread that makes them to the one that writes them, and brings
 * what was written to the disk.
 */
import { open } from 'node:fs/promises';
import type { StageSlice } from '../../projection/stage-store.ts';

/** Slices on the way at most: one is written while the next is made. */
const mostOnTheWay = 2;
/** Octets handed over after which they are brought to the disk. */
const octetsPerSync = 8 * 1024 * 1024;

export class SliceSender {
  readonly #databaseFile: string;
  readonly #post: (slice: StageSlice, transfer: ArrayBuffer[]) => void;
  #onTheWay = 0;
  #unsyncedOctets = 0;
  #synced: Promise<void> = Promise.resolve();
  #wake: (() => void) | undefined;

  constructor(databaseFile: string, post: (slice: StageSlice, transfer: ArrayBuffer[]) => void) {
    this.#databaseFile = databaseFile;
    this.#post = post;
  }

  /** Resolves when the next slice may come. */
  async send(slice: StageSlice): Promise<void> {
    const transfer = ownMemoryOf(slice);
    this.#post(slice, transfer);
    this.#onTheWay++;
    for (const { byteLength } of octetsOf(slice)) this.#unsyncedOctets += byteLength;
    if (this.#unsyncedOctets > octetsPerSync) {
      await this.#synced;
      this.#sync();
    }
    await this.#fewerThan(mostOnTheWay);
  }

  /** A slice was written. */
  taken(): void {
    this.#onTheWay--;
    this.#wake?.();
  }

  /** Resolves when all slices are written and on the disk. */
  async finish(): Promise<void> {
    await this.#fewerThan(1);
    await this.#synced;
    if (this.#unsyncedOctets > 0) this.#sync();
    await this.#synced;
  }

  /** Waits until so few slices are on the way. */
  async #fewerThan(count: number): Promise<void> {
    while (this.#onTheWay >= count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The commit that publishes would have to do it all otherwise, and everybody would wait for that. */
  #sync(): void {
    this.#unsyncedOctets = 0;
    this.#synced = syncedFile(`${this.#databaseFile}-wal`);
    // A failure is told to whoever waits for it.
    this.#synced.catch(() => {});
  }
}

async function syncedFile(path: string): Promise<void> {
  await using file = await open(path, 'r');
  await file.datasync();
}

function* octetsOf(slice: StageSlice): Generator<Uint8Array> {
  const { parts, blocks, places, restored, nsec3Owners } = slice;
  for (const { records, ids } of parts) {
    yield records;
    if (ids !== null) yield ids;
  }
  if (blocks !== undefined) {
    yield blocks.keys;
    yield blocks.records;
    yield blocks.ids;
  }
  if (places !== undefined) yield places.owners;
  if (restored !== undefined) yield restored.owners;
  if (nsec3Owners !== undefined) yield nsec3Owners.keys;
}

/** What stands in memory of its own, which is handed over; the rest is copied. */
function ownMemoryOf(slice: StageSlice): ArrayBuffer[] {
  const own: ArrayBuffer[] = [];
  for (const { buffer, byteLength } of octetsOf(slice)) {
    if (byteLength > 0 && byteLength === buffer.byteLength) own.push(buffer as ArrayBuffer);
  }
  return own;
}

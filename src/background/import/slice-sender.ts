/**
 * Sends the slices of a stage from the thread that makes them to the one that writes them, and brings
 * what was written to the disk.
 */
import { open } from 'node:fs/promises';
import type { Parts } from '../../base/jobs.ts';
import type { StageSlice } from '../../projection/stage-store.ts';

/** Bytes sent after which they are brought to the disk. */
const bytesPerSync = 8 * 1024 * 1024;

export class SliceSender {
  readonly #databaseFile: string;
  readonly #parts: Parts<StageSlice>;
  #unsyncedBytes = 0;
  #synced: Promise<void> = Promise.resolve();

  /** `parts`: of the call that prepares the stage; a slice is taken when it is written. */
  constructor(databaseFile: string, parts: Parts<StageSlice>) {
    this.#databaseFile = databaseFile;
    this.#parts = parts;
  }

  /** Resolves when the next slice may come. */
  async send(slice: StageSlice): Promise<void> {
    // Counted before the slice is sent, which detaches its buffers.
    for (const { byteLength } of bytesOf(slice)) this.#unsyncedBytes += byteLength;
    await this.#parts.send(slice, ownMemoryOf(slice));
    if (this.#unsyncedBytes <= bytesPerSync) return;
    await this.#synced;
    this.#sync();
  }

  /** Resolves when all slices are written and on the disk. */
  async finish(): Promise<void> {
    await this.#parts.allTaken();
    await this.#synced;
    if (this.#unsyncedBytes > 0) this.#sync();
    await this.#synced;
  }

  /** The commit that publishes would have to do it all otherwise, and everybody would wait for that. */
  #sync(): void {
    this.#unsyncedBytes = 0;
    this.#synced = syncedFile(`${this.#databaseFile}-wal`);
    // Whoever awaits it gets the failure.
    this.#synced.catch(() => {});
  }
}

async function syncedFile(path: string): Promise<void> {
  await using file = await open(path, 'r');
  await file.datasync();
}

function* bytesOf(slice: StageSlice): Generator<Uint8Array> {
  const { parts, blocks, locations, restored, nsec3Owners } = slice;
  for (const { records, ids } of parts) {
    yield records;
    if (ids !== null) yield ids;
  }
  if (blocks !== undefined) {
    yield blocks.keys;
    yield blocks.records;
    yield blocks.ids;
  }
  if (locations !== undefined) yield locations.owners;
  if (restored !== undefined) yield restored.owners;
  if (nsec3Owners !== undefined) yield nsec3Owners.keys;
}

/** Buffers with memory of their own, which is transferred; the rest is copied. */
function ownMemoryOf(slice: StageSlice): ArrayBuffer[] {
  const own: ArrayBuffer[] = [];
  for (const { buffer, byteLength } of bytesOf(slice)) {
    if (byteLength > 0 && byteLength === buffer.byteLength) own.push(buffer as ArrayBuffer);
  }
  return own;
}

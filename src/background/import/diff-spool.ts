/**
 * The diff of a large import as JSON text in a nameless file: it is longer than the import itself and is
 * sent only after that is published.
 */
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ByteWriter } from '../../base/byte-writer.ts';
import { diffEntryText } from '../../contract/record-json.ts';
import type { NameKey } from '../../dns/name.ts';
import type { DiffEntry } from '../../domain/diff.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import type { ReadablePart } from '../../query/record-scope.ts';
import { AddedTexts } from './added-text.ts';
import type { PresentedRecord } from './file-table.ts';

/** Bytes buffered before they are written. */
const pieceBytes = 256 * 1024;
const comma = Buffer.from(',');

export class DiffSpool {
  readonly #file: number;
  readonly #readable: ReadablePart;
  #addedTexts: AddedTexts | undefined;
  readonly #text = new ByteWriter(pieceBytes + 65_536);
  #isEmpty = true;
  #length = 0;
  #read = 0;
  readonly summary = { added: 0, changed: 0, removed: 0 };

  /** `readable`: what the caller may read of the zone. */
  constructor(folder: string, readable: ReadablePart) {
    const path = join(folder, `.import-${process.pid}-${Math.random().toString(36).slice(2)}`);
    this.#file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    this.#readable = readable;
  }

  /** `added`: the records that the caller wrote, which the diff has in any case. */
  add(apex: NameKey, entries: readonly DiffEntry[], added: readonly ZoneRecord[]): void {
    for (const entry of entries) {
      const presented = this.#presented(entry, added);
      if (presented === undefined) continue;
      this.summary[presented.change]++;
      this.#separate();
      this.#text.add(Buffer.from(diffEntryText(presented, apex)));
    }
  }

  /** The entry of a record that is new, alone at a new owner. Its writer may see it in any case. */
  addNew(apex: NameKey, record: PresentedRecord): void {
    this.#addedTexts ??= new AddedTexts(apex);
    this.summary.added++;
    this.#separate();
    this.#addedTexts.write(record, this.#text);
  }

  #separate(): void {
    if (this.#text.length >= pieceBytes) this.#flush();
    if (!this.#isEmpty) this.#text.addShort(comma, 0, 1);
    this.#isEmpty = false;
  }

  #presented(entry: DiffEntry, added: readonly ZoneRecord[]): DiffEntry | undefined {
    const { owner, type } = entry;
    if (this.#readable.has(owner, type)) return entry;
    const to = added.filter((record) => record.type === type);
    return to.length === 0 ? undefined : { change: 'added', owner, type, from: [], to };
  }

  #flush(): void {
    const { buffer, length } = this.#text;
    for (let at = 0; at < length; ) {
      at += writeSync(this.#file, buffer, at, length - at, this.#length + at);
    }
    this.#length += length;
    this.#text.length = 0;
  }

  /** The next piece of the entries, commas between them; undefined at the end. The last ones need no room on a disk. */
  next(): Uint8Array | undefined {
    const rest = this.#length - this.#read;
    if (rest === 0) return this.#text.length > 0 ? this.#text.take() : undefined;
    const piece = new Uint8Array(Math.min(pieceBytes, rest));
    const bytes = readSync(this.#file, piece, 0, piece.length, this.#read);
    this.#read += bytes;
    return bytes === piece.length ? piece : piece.slice(0, bytes);
  }

  close(): void {
    closeSync(this.#file);
  }
}

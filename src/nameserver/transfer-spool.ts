/**
 * Spools: the rest of a transfer to a slow client, in a file, so that its snapshot can be closed.
 *
 * The file has no name any more once it is open: nobody else sees it, and it is gone with the
 * process. Messages stand in it as they are sent, each behind its length prefix.
 */
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Octets of the length prefix (RFC 1035 4.2.2). */
const prefixOctets = 2;

export class Spool {
  readonly #file: number;
  readonly #done: () => void;
  #written = 0;
  #read = 0;
  #open = true;

  constructor(path: string, done: () => void) {
    this.#file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    this.#done = done;
  }

  write(framed: Buffer): void {
    let at = 0;
    while (at < framed.length) {
      at += writeSync(this.#file, framed, at, framed.length - at, this.#written + at);
    }
    this.#written += framed.length;
  }

  /** The next message in the order of writing, or undefined after the last. */
  next(): Buffer | undefined {
    if (this.#read >= this.#written) return undefined;
    const prefix = Buffer.allocUnsafe(prefixOctets);
    readSync(this.#file, prefix, 0, prefixOctets, this.#read);
    const framed = Buffer.allocUnsafe(prefixOctets + prefix.readUInt16BE(0));
    readSync(this.#file, framed, 0, framed.length, this.#read);
    this.#read += framed.length;
    return framed;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#file);
    this.#done();
  }
}

/** Where spools are made, and how many there may be. */
export class SpoolRoom {
  readonly #folder: string;
  readonly #most: number;
  #open = 0;
  #last = 0;

  constructor(folder: string, most: number) {
    this.#folder = folder;
    this.#most = most;
  }

  /** A new spool, or undefined when there are too many. */
  open(): Spool | undefined {
    if (this.#open >= this.#most) return undefined;
    const path = join(this.#folder, `transfer-${process.pid}-${++this.#last}.spool`);
    const spool = new Spool(path, () => {
      this.#open--;
    });
    this.#open++;
    return spool;
  }
}

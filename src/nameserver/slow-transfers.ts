/**
 * Transfers to slow clients. A snapshot must not stay open for long, so the rest of such a transfer goes into a file,
 * from which its client takes it as slowly as it likes.
 *
 * When no snapshot is free for another transfer, the one that has waited longest for its client goes on from a file at
 * once, instead of when its snapshot's time is over. A client that reads never yields.
 */
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicMs } from '../base/clock.ts';
import { frameMessage, prefixBytes } from '../dns/wire/framing.ts';
import { nameserverLimits } from './limits.ts';

/**
 * The rest of a transfer in a file. It has no name any more once it is open: nobody else sees it, and it is deleted
 * with the process. Messages stand in it before they are signed, each behind its length prefix.
 */
export class Spool {
  readonly #file: number;
  readonly #done: () => void;
  #length = 0;
  #read = 0;
  #open = true;

  constructor(path: string, done: () => void) {
    this.#file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    this.#done = done;
  }

  write(message: Buffer): void {
    const framed = frameMessage(message);
    let at = 0;
    while (at < framed.length) {
      at += writeSync(this.#file, framed, at, framed.length - at, this.#length + at);
    }
    this.#length += framed.length;
  }

  /** The next message in the order of writing, or undefined after the last. */
  next(): Buffer | undefined {
    if (this.#read >= this.#length) return undefined;
    const prefix = Buffer.allocUnsafe(prefixBytes);
    readSync(this.#file, prefix, 0, prefixBytes, this.#read);
    const message = Buffer.allocUnsafe(prefix.readUInt16BE(0));
    readSync(this.#file, message, 0, message.length, this.#read + prefixBytes);
    this.#read += prefixBytes + message.length;
    return message;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#file);
    this.#done();
  }
}

/** A transfer that waits for its client. */
interface Wait {
  readonly sinceMs: number;
  /** Resolves when the snapshot is released; never rejects. */
  yieldSnapshot(): Promise<void>;
}

export class SlowTransfers {
  readonly #folder: string;
  /** In the order they began, so the longest comes first. */
  readonly #waits = new Set<Wait>();
  #isYielding = false;
  #openSpools = 0;
  #lastSpool = 0;

  /** `folder`: where spools are made. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A new spool, or undefined when there are too many. */
  openSpool(): Spool | undefined {
    if (this.#openSpools >= nameserverLimits.spools) return undefined;
    const path = join(this.#folder, `transfer-${process.pid}-${++this.#lastSpool}.spool`);
    const spool = new Spool(path, () => {
      this.#openSpools--;
    });
    this.#openSpools++;
    return spool;
  }

  /** A transfer waits for its client; the function returned says that the wait is over. */
  beginWait(yieldSnapshot: () => Promise<void>): () => void {
    const wait: Wait = { sinceMs: monotonicMs(), yieldSnapshot };
    this.#waits.add(wait);
    return () => this.#waits.delete(wait);
  }

  /**
   * Somebody waits for a snapshot. One transfer yields its own at a time: writing its file takes a moment,
   * and whoever waits asks again.
   */
  yieldLongest(): void {
    const [longest] = this.#waits;
    if (this.#isYielding || longest === undefined) return;
    if (monotonicMs() - longest.sinceMs < nameserverLimits.stalledMs) return;
    this.#waits.delete(longest);
    this.#isYielding = true;
    void longest.yieldSnapshot().then(() => {
      this.#isYielding = false;
    });
  }
}

/** A clock that stands still until a test sets it: for what has to be the same in every run, to the second. */
import { mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clockLibrary } from './moved-clock.ts';
import { removeFolder } from './processes.ts';

export class FrozenClock {
  readonly #folder = mkdtempSync(join(tmpdir(), 'clock-'));
  readonly #file = join(this.#folder, 'time');
  #now: Date;

  constructor(now: string) {
    this.#now = new Date(now);
    this.set(now);
  }

  /** The environment of a process that is to live by this clock. Its timers go on. */
  get env(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: clockLibrary,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
      TZ: 'UTC',
    };
  }

  get now(): Date {
    return this.#now;
  }

  /** RFC 3339; whole seconds. A process reads the file at any time, so it is always whole. */
  set(time: string): void {
    this.#now = new Date(time);
    const text = this.#now.toISOString().slice(0, 19).replace('T', ' ');
    writeFileSync(`${this.#file}.new`, `${text}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }

  [Symbol.dispose](): void {
    removeFolder(this.#folder);
  }
}

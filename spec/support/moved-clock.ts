/**
 * A clock that a test moves and that processes of several programs share: libfaketime shifts what they read
 * as the time of day by what a file says. Timers go on as ever, for they run by the monotonic clock.
 */
import { mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './processes.ts';

/** Where Debian's package libfaketime has it; LIBFAKETIME names another place. */
export const clockLibrary =
  process.env.LIBFAKETIME ??
  `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketimeMT.so.1`;

export class MovedClock {
  readonly #folder = mkdtempSync(join(tmpdir(), 'clock-'));
  readonly #file = join(this.#folder, 'offset');
  #offsetMs = 0;

  constructor() {
    this.#write();
  }

  /** The environment of a process that is to live by this clock. */
  get env(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: clockLibrary,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
  }

  /** Milliseconds since 1970 by this clock. */
  now(): number {
    return Date.now() + this.#offsetMs;
  }

  /** Moves it forward, or back, for all processes at once; whole seconds. */
  advance(seconds: number): void {
    this.#offsetMs += Math.round(seconds) * 1000;
    this.#write();
  }

  /** A process reads the file at any time, so it is always whole. */
  #write(): void {
    const seconds = this.#offsetMs / 1000;
    writeFileSync(`${this.#file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }

  [Symbol.dispose](): void {
    removeFolder(this.#folder);
  }
}

/**
 * Files that may not outlive the command that makes them: copies of a database are as large as it is.
 *
 * Each is removed when the command is done with it, and also when SIGINT, SIGTERM or SIGHUP ends the process, as
 * it does by itself (for a shell 128 and the number of the signal).
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';

/** Waits until the process that holds the other end of its input is no more, whatever has ended it. */
const removal = `trap '' HUP INT TERM; read -r _; rm -rf -- "$@"`;

export interface Temporary extends Disposable {
  readonly path: string;
}

/** A new folder for large files. */
export function temporaryFolder(parent: string, prefix: string): Temporary {
  const path = mkdtempSync(join(parent, prefix));
  return Object.assign(removedAtEnd([path]), { path });
}

/** The name of a database that nobody else has, now or later: an absolute path with some letters behind it. */
export function temporaryDatabase(beginning: string): Temporary {
  const path = `${beginning}-${randomUUID().slice(0, 8)}`;
  const all = ['', '-wal', '-shm', '-journal'].map((suffix) => `${path}${suffix}`);
  return Object.assign(removedAtEnd(all), { path });
}

/** For work that leaves no turn to signals, as SQLite does for minutes: a shell stands by that removes the files. */
function removedAtEnd(paths: readonly string[]): Disposable {
  const shell = spawn('sh', ['-c', removal, 'sh', ...paths], {
    cwd: '/',
    // Not with the terminal: it must outlive what the terminal ends.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a shell the files are still removed at a usual end.
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  (shell.stdin as Socket).unref();
  return {
    [Symbol.dispose]() {
      for (const path of paths) rmSync(path, { recursive: true, force: true });
      shell.stdin.end();
    },
  };
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** For work that waits for others most of the time: the file is removed by this process. */
export function removedAtSignal(path: string): Disposable {
  const removeAndEnd = (signal: (typeof signals)[number]) => {
    rmSync(path, { force: true });
    stop();
    // The last of several files ends the process.
    if (process.listenerCount(signal) > 0) return;
    process.kill(process.pid, signal);
    // The first process of a container is not ended by that.
    process.exit(128 + constants.signals[signal]);
  };
  const stop = () => {
    for (const signal of signals) process.off(signal, removeAndEnd);
  };
  for (const signal of signals) process.on(signal, removeAndEnd);
  return { [Symbol.dispose]: stop };
}

/** Processes that a test started: how they are stopped for a while and ended, and the folders that they wrote to. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** True for one that exited or was ended by a signal. */
export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Sends a signal and waits for the end; the exit code, null when a signal ended it. */
export async function endProcess(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<number | null> {
  if (hasEnded(child)) return child.exitCode;
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill(signal);
  return ended;
}

/**
 * Stops a process, until SIGCONT, and waits until none of its threads runs: one of them takes the signal and tells the
 * others, and those go on until then, which on a busy host is long enough to answer.
 */
export async function suspendProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return;
  // The state follows the name, which stands in parentheses.
  const isStopped = (thread: string) => {
    try {
      return /\) T [^)]*$/.test(readFileSync(`${threads}/${thread}/stat`, 'utf8'));
    } catch {
      // It ended meanwhile.
      return false;
    }
  };
  while (!readdirSync(threads).every(isStopped)) await delay(1);
}

/** Removes a folder into which children of an ended process may write a moment longer. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
}

/** Ends of processes that a test started, and of the folders that they wrote to. */
import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';

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

/** Removes a folder into which children of an ended process may write a moment longer. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
}

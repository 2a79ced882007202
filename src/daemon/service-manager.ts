/**
 * Tells systemd how far the service is, where its unit has `Type=notify` (sd_notify(3)). Node opens no datagram sockets
 * of Unix, so systemd's own program does it.
 */
import { execFile } from 'node:child_process';

/** Milliseconds until it is given up: systemd then waits for its own time. */
const timeoutMs = 5000;

/** Resolves when the manager has it, with the reason when it could not be reached; at once where there is no socket. */
export function notifyManager(
  socket: string | undefined,
  state: 'READY=1' | 'STOPPING=1',
): Promise<Error | undefined> {
  if (socket === undefined || socket === '') return Promise.resolve(undefined);
  return new Promise((resolve) => {
    execFile('systemd-notify', [state], { timeout: timeoutMs }, (error) => {
      resolve(error ?? undefined);
    });
  });
}

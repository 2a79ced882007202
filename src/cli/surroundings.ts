/** The terminal and the environment of this process. */
import type { Surroundings } from './services.ts';

export function processSurroundings(): Surroundings {
  const { stdin, stdout, stderr } = process;
  for (const stream of [stdout, stderr]) {
    // A reader that has seen enough (`zonebook zone ls | head`) is no failure.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  return {
    env: process.env,
    stdin,
    stdout,
    stderr,
    isTerminal: { stdout: stdout.isTTY === true, stderr: stderr.isTTY === true },
  };
}

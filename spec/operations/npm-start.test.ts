/** What stops npm stops the service that `npm start` runs, as a person or a service manager does it. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { needsPeers } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { hasEnded, removeFolder } from '../support/processes.ts';
import { checkout } from '../support/test-titles.ts';

/** `npm start` in a process group of its own; ends it by what `stop` does when the service runs. */
async function outputOf(
  stop: (npm: number) => void,
): Promise<{ code: number | null; said: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-npm-'));
  const npm = spawn('npm', ['start', '--', '--data-dir', folder], {
    cwd: checkout,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ZONEBOOK_API_LISTEN_PORT: String(await freePort()),
      ZONEBOOK_DNS_LISTEN_PORT: String(await freePort()),
    },
  });
  let said = '';
  try {
    const hear = (chunk: Buffer) => {
      const wasRunning = said.includes('service.started');
      said += chunk.toString();
      if (!wasRunning && said.includes('service.started')) stop(npm.pid!);
    };
    npm.stdout.on('data', hear);
    npm.stderr.on('data', hear);
    // Its output ends when the service has ended too.
    const code = await new Promise<number | null>((resolve) => npm.once('close', resolve));
    return { code, said };
  } finally {
    if (!hasEnded(npm)) process.kill(-npm.pid!, 'SIGKILL');
    removeFolder(folder);
  }
}

needsPeers('npm')('npm start', () => {
  it('passes SIGTERM on to the service, which completes its stop', async () => {
    const { code, said } = await outputOf((npm) => process.kill(npm, 'SIGTERM'));
    expect(said).toMatch(/service\.stopping signal=SIGTERM[\s\S]*service\.stopped graceful=true/);
    expect(code).toBe(0);
  });

  it('stops in order by Ctrl-C, of which the service hears twice', async () => {
    const { code, said } = await outputOf((npm) => process.kill(-npm, 'SIGINT'));
    expect(said).toMatch(/service\.stopping signal=SIGINT[\s\S]*service\.stopped graceful=true/);
    expect(code).toBe(0);
  });
});

/** The page of the specification in a real browser that can reach nothing but the service. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needsPeers, peer } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';

needsPeers('chromium')('the page in a browser', () => {
  let service: RunningService;
  const profile = mkdtempSync(join(tmpdir(), 'zonebook-browser-'));
  beforeAll(async () => {
    service = await startService({ ZONEBOOK_API_OPENAPI_ENABLED: 'true' });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    rmSync(profile, { recursive: true, force: true });
  });

  it('shows the operations, with an example of a request, and breaks no rule of its own', async () => {
    const { page, complaints } = await browse('/docs#/zones/createZone');
    expect(complaints).toBe('');
    // A page is too long to be shown when something is missing in it.
    const missing = [
      'operations-zones-createZone',
      'operations-tag-records',
      'hostmaster@example.com',
      'ZONE_CONFLICT',
    ].filter((part) => !page.includes(part));
    expect(missing).toEqual([]);
    // What it loaded came from the service; another host could not have been found.
    const answers = () => {
      const asked = [...service.output.matchAll(/route=(\S+) status=(\d+)/g)];
      return asked.map(([, route, status]) => `${route} ${status}`);
    };
    const files = () => answers().filter((answer) => answer === '/docs/{file} 200').length;
    await expect.poll(files).toBe(4);
    await expect.poll(answers).toContain('/openapi.json 200');
  });

  /** Opens a page; what it looks like when it has loaded, and what the browser said against it. */
  function browse(path: string): Promise<{ page: string; complaints: string }> {
    const child = spawn(
      peer('chromium')!,
      [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        `--user-data-dir=${profile}`,
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
        '--enable-logging=stderr',
        '--virtual-time-budget=20000',
        '--dump-dom',
        `http://127.0.0.1:${service.apiPort}${path}`,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let page = '';
    let said = '';
    child.stdout.on('data', (chunk) => {
      page += chunk;
    });
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', () => {
        const complaints = said.split('\n').filter((line) => line.includes(':CONSOLE'));
        resolve({ page, complaints: complaints.join('\n') });
      });
    });
  }
});

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { CannedService } from '../support/canned-service.ts';
import { makeCertificates } from '../support/certificates.ts';
import { patienceMs } from '../support/patience.ts';
import { needsPeers } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { program } from '../support/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-adapter-'));
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Adapter {
  readonly webhook: string;
  readonly probes: string;
  output(): string;
  /** Its exit code, when it has ended. */
  ended: Promise<number | null>;
  stop(): void;
}

/** The program as its users start it: flags on the command line, the rest in the environment. */
async function start(args: readonly string[], env: Record<string, string> = {}): Promise<Adapter> {
  const [webhookPort, probesPort] = [await freePort(), await freePort()];
  const child = spawn(program.file, [...program.args, 'external-dns', ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      SVC_EXTERNAL_DNS_LISTEN_ADDR: `127.0.0.1:${webhookPort}`,
      SVC_EXTERNAL_DNS_HEALTH_ADDR: `127.0.0.1:${probesPort}`,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const adapter = {
    webhook: `http://127.0.0.1:${webhookPort}`,
    probes: `http://127.0.0.1:${probesPort}`,
    output: () => output,
    ended,
    stop: () => void child.kill('SIGTERM'),
  };
  const deadline = Date.now() + patienceMs;
  while (child.exitCode === null && !output.includes('external-dns.started')) {
    if (Date.now() > deadline) throw new Error(`it did not start:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return adapter;
}

describe('zonebook external-dns', () => {
  it('runs on variables alone and stops on SIGTERM', async () => {
    const port = await freePort();
    const service = await CannedService.start(port);
    service.reply = { status: 200, body: { domains: ['example.com'] } };
    const adapter = await start([], { SVC_URL: `http://127.0.0.1:${port}`, SVC_API_TOKEN: 'zb_x' });
    expect(await (await fetch(adapter.webhook)).json()).toEqual({ include: ['example.com'] });
    expect(await (await fetch(`${adapter.probes}/healthz`)).text()).toBe('ok');
    expect(service.asked.map(({ path }) => path)).toEqual([
      '/external-dns/domains',
      '/external-dns/domains',
    ]);
    adapter.stop();
    expect(await adapter.ended).toBe(0);
    expect(adapter.output()).not.toContain('zb_x');
    service.close();
  });

  it('says what it can not use, and ends', async () => {
    const missing = await start([]);
    expect(await missing.ended).toBe(2);
    expect(missing.output()).toContain('--svc-url (SVC_URL) is missing');
    const url = ['--svc-url', 'http://127.0.0.1:1'];
    const noFile = await start([...url, '--token-file', join(folder, 'none')]);
    expect(await noFile.ended).toBe(6);
    expect(noFile.output()).toContain('the token file');
    const empty = join(folder, 'empty');
    writeFileSync(empty, '');
    const noAuthority = await start(['--svc-url', 'https://127.0.0.1:1', '--ca-file', empty]);
    expect(await noAuthority.ended).toBe(6);
    expect(noAuthority.output()).toContain('holds no certificate');
    const port = await freePort();
    const taken = await CannedService.start(port);
    const second = await start([...url, '--listen-addr', `127.0.0.1:${port}`]);
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain('EADDRINUSE');
    taken.close();
  });
});

needsPeers('openssl')('a private authority', () => {
  it('is trusted beside those of the system, when it is given', async () => {
    const files = makeCertificates(folder, 'IP:127.0.0.1');
    const { readFileSync } = await import('node:fs');
    const [cert, key] = [readFileSync(files.certificate), readFileSync(files.key)];
    const port = await freePort();
    const service = await CannedService.start(port, (listener) =>
      createServer({ cert, key }, listener),
    );
    service.reply = { status: 200, body: { domains: ['example.com'] } };
    const url = ['--svc-url', `https://127.0.0.1:${port}`];
    const strange = await start(url);
    const refused = await fetch(strange.webhook);
    expect(refused.status).toBe(502);
    expect(await refused.text()).toMatch(/UNABLE_TO_VERIFY|SELF_SIGNED/);
    const trusting = await start([...url, '--ca-file', files.authority]);
    expect((await fetch(trusting.webhook)).status).toBe(200);
    service.close();
  });
});

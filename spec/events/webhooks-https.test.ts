/** Webhooks go only to receivers whose certificates are trusted, and for the name that is asked. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { makeCertificates } from '../support/certificates.ts';
import { needsPeers } from '../support/peers.ts';
import { startService } from '../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'webhooks-https-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A receiver with a certificate for some names; what it was sent. */
async function startReceiver({ certificate, key }: { certificate: string; key: string }) {
  const bodies: string[] = [];
  const files = { cert: readFileSync(certificate), key: readFileSync(key) };
  const server = createServer(files, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { bodies, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

/** What a test of a webhook to a URL answers. */
async function tried(url: string, env: Record<string, string>) {
  const service = await startService({ ...env, ZONEBOOK_OUTBOUND_ALLOW: '127.0.0.1' });
  onTestFinished(() => service[Symbol.asyncDispose]());
  await service.must('POST', '/webhooks', { name: 'chat', url });
  return service.must('POST', '/webhooks/chat/test');
}

needsPeers('openssl')('a receiver with https', () => {
  it('is sent events when its authority is trusted', async () => {
    const made = makeCertificates(folder, 'IP:127.0.0.1');
    const { url, bodies } = await startReceiver(made);
    const answer = await tried(url, { ZONEBOOK_OUTBOUND_CA_FILE: made.authority });
    expect(answer).toMatchObject({ delivered: true, status: 204, error: null });
    // The event of its own creation may come before, or after.
    expect(bodies.map((body) => JSON.parse(body).kind)).toContain('webhook.test');
  });

  it('is sent nothing when nobody vouches for it', async () => {
    const { url, bodies } = await startReceiver(makeCertificates(folder, 'IP:127.0.0.1'));
    const answer = await tried(url, {});
    expect(answer).toMatchObject({ delivered: false, status: null });
    expect(answer.error).toMatch(/certificate/);
    expect(bodies).toEqual([]);
  });

  it('is sent nothing with the certificate of another', async () => {
    const made = makeCertificates(folder, 'IP:192.0.2.1');
    const { url, bodies } = await startReceiver(made);
    const answer = await tried(url, { ZONEBOOK_OUTBOUND_CA_FILE: made.authority });
    expect(answer).toMatchObject({ delivered: false, status: null });
    expect(answer.error).toMatch(/127\.0\.0\.1/);
    expect(bodies).toEqual([]);
  });
});

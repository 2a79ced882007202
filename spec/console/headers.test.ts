/** The headers of the console and of answers beside it, name by name, with TLS and without. */
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCertificates } from '../support/certificates.ts';
import { needsPeers } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';

/** Those of every answer. */
const common = {
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

const page = {
  ...common,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), clipboard-write=(self)',
};

const script = {
  ...common,
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'max-age=31536000, immutable',
  vary: 'Accept-Encoding',
};

const json = { ...common, 'content-type': 'application/json' };
const secure = { 'strict-transport-security': 'max-age=31536000' };

/** What is of one answer, or of one connection, alone. */
const own = /^(date|connection|keep-alive|content-length|transfer-encoding|x-request-id)$/;

needsPeers('openssl')('headers of the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-headers-'));
  let plain: RunningService;
  let overTls: RunningService;
  beforeAll(async () => {
    const files = makeCertificates(folder, 'IP:127.0.0.1');
    const tls = {
      ZONEBOOK_API_TLS_CERT_FILE: files.certificate,
      ZONEBOOK_API_TLS_KEY_FILE: files.key,
    };
    [plain, overTls] = await Promise.all([startService(), startService(tls)]);
  });
  afterAll(async () => {
    await plain?.[Symbol.asyncDispose]();
    await overTls?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  function answerOf(service: RunningService, path: string): Promise<IncomingMessage> {
    const open = service === overTls ? tlsRequest : request;
    const { apiPort: port } = service;
    return new Promise((resolve, reject) => {
      // Whom to trust is not what is asked here.
      const to = { host: '127.0.0.1', port, path, rejectUnauthorized: false };
      const outgoing = open(to, (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer));
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  }

  async function headersOf(service: RunningService, path: string) {
    const { headers } = await answerOf(service, path);
    return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.test(name)));
  }

  async function scriptPath(): Promise<string> {
    const { body } = await plain.call('GET', '/console');
    return /src="([^"]+\.js)"/.exec(body)![1]!;
  }

  it.each([
    ['without TLS', () => plain, {}],
    ['with TLS', () => overTls, secure],
  ] as const)('are exactly these %s', async (_, serviceOf, added) => {
    const service = serviceOf();
    for (const path of ['/console', '/console/zones/example.com/records?at=2026-01-01T00:00:00Z']) {
      expect(await headersOf(service, path)).toEqual({ ...page, ...added });
    }
    expect(await headersOf(service, await scriptPath())).toEqual({ ...script, ...added });
    for (const path of ['/health', '/zones?limit=1', '/no/such/path']) {
      expect(await headersOf(service, path)).toMatchObject({ ...json, ...added });
    }
  });

  it('say nothing of TLS where there is none', async () => {
    for (const path of ['/health', '/no/such/path']) {
      expect(await headersOf(plain, path)).not.toHaveProperty('strict-transport-security');
    }
  });

  it('are there in the answer to what is no HTTP', async () => {
    const said = await new Promise<string>((resolve, reject) => {
      const { apiPort: port } = overTls;
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
      let text = '';
      socket.on('secureConnect', () => socket.write('no request\r\n\r\n'));
      socket.on('data', (piece) => {
        text += String(piece);
      });
      socket.on('end', () => resolve(text));
      socket.on('error', reject);
    });
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
    expect(said).toContain('\r\nStrict-Transport-Security: max-age=31536000\r\n');
  });
});

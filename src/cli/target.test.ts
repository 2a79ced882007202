import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { CannedService } from '../../spec/support/canned-service.ts';
import { type Certificates, makeCertificates } from '../../spec/support/certificates.ts';
import { run } from '../../spec/support/command-line.ts';
import { needsPeers } from '../../spec/support/peers.ts';
import { freePort } from '../../spec/support/ports.ts';

needsPeers('openssl')('an https URL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-trust-'));
  let files: Certificates;
  let service: CannedService;
  let port = 0;
  beforeAll(async () => {
    files = makeCertificates(folder, 'IP:127.0.0.1');
    port = await freePort();
    const [cert, key] = [files.certificate, files.key].map((file) => readFileSync(file));
    service = await CannedService.start(port, (listener) => {
      return createServer({ cert: cert!, key: key! }, listener);
    });
    const pagination = { limit: 1000, offset: 0, total: 0 };
    service.reply = { status: 200, body: { items: [], pagination } };
  });
  beforeEach(() => {
    service.asked.length = 0;
  });
  afterAll(() => {
    service.close();
    rmSync(folder, { recursive: true });
  });

  const list = (host: string, ...words: string[]) =>
    run(['role', 'ls', '--url', `https://${host}:${port}`, ...words]);

  it('of an authority nobody knows is refused with 7 before anything is sent', async () => {
    const { code, out, err } = await list('127.0.0.1', '--token', 'zb_secret');
    expect([code, out]).toEqual([7, '']);
    expect(err).toBe(
      `zonebook: the certificate of https://127.0.0.1:${port} is not trusted: ` +
        "its authority is not known here; give the authority's certificate with --ca-file, " +
        'or in NODE_EXTRA_CA_CERTS\n',
    );
    expect(service.asked).toEqual([]);
  });

  it('is trusted with the authority in --ca-file', async () => {
    const { code, err } = await list('127.0.0.1', '--ca-file', files.authority);
    expect([code, err]).toEqual([0, '']);
    expect(service.asked).toHaveLength(1);
  });

  it('is refused under another name', async () => {
    const { code, err } = await list('localhost', '--ca-file', files.authority);
    expect([code, err]).toEqual([7, expect.stringContaining('is for another name')]);
  });

  it('needs a --ca-file that can be read and holds certificates', async () => {
    const broken = join(folder, 'broken.pem');
    writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    for (const file of [files.key, broken]) {
      const { code, err } = await list('127.0.0.1', '--ca-file', file);
      expect([code, err]).toEqual([1, expect.stringContaining('holds no certificate')]);
    }
    const { code, err } = await list('127.0.0.1', '--ca-file', join(folder, 'none'));
    expect([code, err]).toEqual([1, expect.stringContaining('there is no such file')]);
  });

  it('of a service without TLS says so', async () => {
    const plainPort = await freePort();
    const plain = await CannedService.start(plainPort);
    const { code, err } = await run(['role', 'ls', '--url', `https://127.0.0.1:${plainPort}`]);
    plain.close();
    expect([code, err]).toEqual([7, expect.stringContaining('does not answer in TLS')]);
  });
});

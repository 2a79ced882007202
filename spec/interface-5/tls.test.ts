/** HTTPS of its own (interface 5.7): TLS 1.2 and later, both files or none. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, getCiphers, type SecureVersion } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../../src/daemon/config.ts';
import { HttpConnections, serverOptions } from '../../src/daemon/http-listeners.ts';
import { type Service, startService } from '../../src/daemon/service.ts';
import { silentLog } from '../../src/telemetry/log.ts';
import { type Certificates, makeCertificates } from '../support/certificates.ts';
import { needsPeers } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';

needsPeers('openssl')('HTTPS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-tls-'));
  let files: Certificates;
  let service: Service;
  let ca: Buffer;

  const configWith = async (env: Record<string, string>) =>
    loadConfig({
      cwd: folder,
      env: {
        ZONEBOOK_DATA_DIR: join(folder, 'data'),
        ZONEBOOK_API_LISTEN_PORT: String(await freePort()),
        ZONEBOOK_DNS_LISTEN_PORT: String(await freePort()),
        ...env,
      },
    });

  beforeAll(async () => {
    files = makeCertificates(folder, 'IP:127.0.0.1');
    ca = readFileSync(files.authority);
    const config = await configWith({
      ZONEBOOK_API_TLS_CERT_FILE: files.certificate,
      ZONEBOOK_API_TLS_KEY_FILE: files.key,
    });
    service = await startService(config, silentLog());
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  /** The protocol that a handshake with exactly this version settles on. */
  function shakeHands(
    version: SecureVersion,
    ciphers = 'DEFAULT@SECLEVEL=0',
  ): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: '127.0.0.1',
        port: service.apiPort,
        ca,
        minVersion: version,
        maxVersion: version,
        // Old versions are out of OpenSSL's own default; here the server is to refuse them.
        ciphers,
      });
      socket.on('secureConnect', () => {
        resolve(socket.getProtocol());
        socket.destroy();
      });
      socket.on('error', reject);
    });
  }

  it('serves the same interface, and says so in its address', async () => {
    expect(service.apiUrl).toBe(`https://127.0.0.1:${service.apiPort}`);
    expect(service.needsToken).toBe(true);
    const answered = await new Promise<string>((resolve, reject) => {
      const outgoing = request(`${service.apiUrl}/zones`, { ca }, (response) => {
        let text = String(response.statusCode);
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
    expect(answered).toMatch(/^401.*UNAUTHORIZED/);
  });

  it('speaks TLS 1.2 and 1.3', async () => {
    expect(await shakeHands('TLSv1.2')).toBe('TLSv1.2');
    expect(await shakeHands('TLSv1.3')).toBe('TLSv1.3');
  });

  it.each(['TLSv1', 'TLSv1.1'] as const)('refuses %s', async (version) => {
    await expect(shakeHands(version)).rejects.toThrow(/protocol version/i);
  });

  it('takes no suite that enciphers by CBC, and none without forward secrecy', async () => {
    for (const suite of ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305']) {
      expect(await shakeHands('TLSv1.2', suite)).toBe('TLSv1.2');
    }
    const all = getCiphers().filter((name) => !name.startsWith('tls_'));
    const strong = all.filter((name) => /^ecdhe-.*(gcm|chacha20)/.test(name));
    const others = all
      .filter((name) => !strong.includes(name))
      .join(':')
      .toUpperCase();
    expect(others).toContain('ECDHE-ECDSA-AES128-SHA');
    await expect(shakeHands('TLSv1.2', `${others}:@SECLEVEL=0`)).rejects.toThrow(
      /handshake failure/i,
    );
  });

  it('answers what is in work while it stops', async () => {
    const [key, cert] = [readFileSync(files.key), readFileSync(files.certificate)];
    const server = createServer({ ...serverOptions, key, cert });
    const begun = Promise.withResolvers<ServerResponse>();
    const connections = new HttpConnections(
      server,
      (_, outgoing) => begun.resolve(outgoing),
      new AbortController(),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const asked = request({ host: '127.0.0.1', port, ca }).end();
    const outgoing = await begun.promise;
    const closed = connections.close();
    outgoing.end('done');
    const [answer] = await once(asked, 'response');
    expect(Buffer.concat(await answer.toArray()).toString()).toBe('done');
    expect(await closed).toBe(0);
  });

  it('refuses to start with one of the two files', async () => {
    for (const name of ['CERT', 'KEY']) {
      const file = name === 'CERT' ? files.certificate : files.key;
      await expect(configWith({ [`ZONEBOOK_API_TLS_${name}_FILE`]: file })).rejects.toThrow(
        ConfigError,
      );
    }
  });

  it('refuses to start with files that are none', async () => {
    const config = await configWith({
      ZONEBOOK_DATA_DIR: join(folder, 'other'),
      ZONEBOOK_API_TLS_CERT_FILE: join(folder, 'missing.pem'),
      ZONEBOOK_API_TLS_KEY_FILE: files.key,
    });
    await expect(startService(config, silentLog())).rejects.toThrow('missing.pem');
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificates } from '../../spec/support/certificates.ts';
import { run } from '../../spec/support/command-line.ts';
import { needsPeers } from '../../spec/support/peers.ts';
import { ConfigError, type ConfigProblem, loadConfig } from './config.ts';
import { examineDeployment, examineForStart } from './config-examination.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'zonebook-examination-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function found(
  env: Record<string, string>,
  examine: typeof examineForStart = examineForStart,
): readonly ConfigProblem[] {
  const config = loadConfig({ cwd: folder, env });
  try {
    examine(config);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

const listeners = (api: string, dns: string) => ({
  ZONEBOOK_API_LISTEN_ADDR: api,
  ZONEBOOK_DNS_LISTEN_ADDR: dns,
});

describe('two listeners', () => {
  it.each([
    ['127.0.0.1:5300', '127.0.0.1:5300'],
    ['0.0.0.0:5300', '127.0.0.1:5300'],
    ['127.0.0.1:5300', '0.0.0.0:5300'],
    ['[::]:5300', '127.0.0.1:5300'],
    ['0.0.0.0:5300', '[::]:5300'],
    ['[::1]:5300', '[::]:5300'],
    ['[::1]:5300', '[0:0:0:0:0:0:0:1]:5300'],
    ['[::ffff:127.0.0.1]:5300', '127.0.0.1:5300'],
    ['[::ffff:127.0.0.1]:5300', '0.0.0.0:5300'],
  ])('%s and %s can not be had together', (api, dns) => {
    expect(found(listeners(api, dns))).toMatchObject([{ key: 'dns.listen_port' }]);
  });

  it.each([
    ['127.0.0.1:3000', '127.0.0.1:5300'],
    ['127.0.0.1:5300', '127.0.0.2:5300'],
    ['127.0.0.1:5300', '[::1]:5300'],
    ['0.0.0.0:5300', '[::1]:5300'],
    ['0.0.0.0:3000', '0.0.0.0:53'],
    ['127.0.0.1:0', '127.0.0.1:0'],
  ])('%s and %s can', (api, dns) => {
    expect(found(listeners(api, dns))).toEqual([]);
  });
});

it('a port of 0 is for a start, and not for others to find', () => {
  const anywhere = listeners('127.0.0.1:0', '127.0.0.1:0');
  const keys = found(anywhere, examineDeployment).map(({ key }) => key);
  expect(keys).toEqual(['api.listen_port', 'dns.listen_port']);
  expect(found({}, examineDeployment)).toEqual([]);
});

needsPeers('openssl')('files of TLS', () => {
  const tls = (cert: string, key: string) => ({
    ZONEBOOK_API_TLS_CERT_FILE: cert,
    ZONEBOOK_API_TLS_KEY_FILE: key,
  });

  it('are looked for, and tried together', () => {
    const { certificate, key, authority } = makeCertificates(folder, 'IP:127.0.0.1');
    expect(found(tls(certificate, key))).toEqual([]);
    const missing = found(tls(join(folder, 'no.pem'), join(folder, 'no.key')));
    expect(missing.map((each) => each.key)).toEqual(['api.tls_cert_file', 'api.tls_key_file']);
    expect(missing[0]!.problem).toContain('no such file');
    const rubbish = join(folder, 'rubbish.pem');
    writeFileSync(rubbish, 'no PEM');
    for (const [one, other] of [
      [rubbish, key],
      [certificate, rubbish],
      [authority, key],
      [certificate, folder],
    ]) {
      expect(found(tls(one!, other!))).toHaveLength(1);
    }
  });

  it('are looked for where webhooks trust them', () => {
    const { authority, key } = makeCertificates(folder, 'IP:127.0.0.1');
    const trusted = (file: string) => found({ ZONEBOOK_OUTBOUND_CA_FILE: file });
    expect(trusted(authority)).toEqual([]);
    expect(trusted(join(folder, 'no.pem'))).toMatchObject([{ key: 'outbound.ca_file' }]);
    const [noCertificate] = trusted(key);
    expect(noCertificate!.problem).toContain('it holds no certificate in PEM form');
  });

  it('are told by config check with all the rest at once', async () => {
    const config = join(folder, 'deployed.toml');
    writeFileSync(
      config,
      '[api]\nlisten_port = 5300\ntls_cert_file = "/no/cert.pem"\ntls_key_file = "/no/key.pem"\n',
    );
    const { code, err } = await run(['config', 'check', '--config', config]);
    expect(code).toBe(6);
    for (const key of ['api.tls_cert_file', 'api.tls_key_file', 'dns.listen_port']) {
      expect(err).toContain(`  ${key}: `);
    }
    const json = await run(['config', 'check', '--config', config, '-o', 'json']);
    expect(JSON.parse(json.out)).toMatchObject({ usable: false });
    expect(JSON.parse(json.out).problems).toHaveLength(3);
  });
});

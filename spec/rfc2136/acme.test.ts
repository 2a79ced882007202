/**
 * Certificates by the DNS challenge of ACME (RFC 8555 8.4), as lego and certbot ask for them by RFC 2136: the authority
 * asks a secondary, and the answer to the UPDATE has waited for it, so that nobody sleeps.
 */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AcmeAuthority } from '../support/acme-authority.ts';
import { isLong } from '../support/long.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { type RunningSecondary, startSecondary } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';

const zone = 'acme.example';
const kinds = ['named', 'knotd', 'nsd'] as const;
const run = promisify(execFile);

needsPeers(
  ...kinds,
  'pebble',
  'lego',
  'certbot',
  'openssl',
)('an ACME client', () => {
  let folder: string;
  let service: RunningService;
  let secret: string;
  let directory: string;
  const secondaries: RunningSecondary[] = [];
  const authorities: AcmeAuthority[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'zonebook-acme-'));
    service = await startService({ ZONEBOOK_DNS_UPDATE_WAIT_SECS: '20' });
    const soa = { mname: 'ns1.example.net', rname: 'h@example.net' };
    await service.must('POST', '/zones', { name: zone, ...soa });
    await service.must('POST', '/roles', { name: 'acme' });
    const names = { zone_name: zone, record_name_pattern: '_acme-challenge.**' };
    const actions = ['record:read', 'record:create', 'record:delete'];
    const grant = { ...names, record_types: 'TXT', actions };
    await service.must('POST', '/roles/acme/grants', grant);
    const key = await service.must('POST', '/tsig-keys', { name: 'acme.key', role_name: 'acme' });
    secret = key.secret;
    for (const kind of kinds) {
      const secondary = await startSecondary(kind, zone, service.dnsPort);
      secondaries.push(secondary);
      const address = `127.0.0.1:${secondary.port}`;
      await service.must('POST', '/secondaries', { name: kind, address });
    }
    for (const secondary of secondaries) await secondary.waitForSerial(1);
  });
  afterAll(async () => {
    for (const one of [...authorities, ...secondaries]) await one[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  /** Asks one of the secondaries. */
  async function startAuthority({ port: dnsPort }: RunningSecondary): Promise<void> {
    const authority = await AcmeAuthority.start({ folder, port: await freePort(), dnsPort });
    authorities.push(authority);
    directory = authority.directory;
  }

  const names = [zone, `*.${zone}`, `host.below.${zone}`];

  function expectCertificate(file: string): void {
    const { subjectAltName } = new X509Certificate(readFileSync(file));
    expect(subjectAltName?.split(', ').sort()).toEqual(names.map((name) => `DNS:${name}`).sort());
  }

  /** The challenges are taken back, too. */
  async function expectNothingLeft(): Promise<void> {
    const { items } = await service.must('GET', `/records?zone_name=${zone}&type=TXT`);
    expect(items).toEqual([]);
  }

  it('lego gets one, whichever secondary is asked', async () => {
    for (const secondary of isLong ? secondaries : secondaries.slice(0, 1)) {
      await startAuthority(secondary);
      const path = join(folder, `lego-${secondary.kind}`);
      const dns = `127.0.0.1:${service.dnsPort}`;
      const args = [
        ...['--server', directory, '--path', path, '--accept-tos', '--email', 'a@example.com'],
        ...['--dns', 'rfc2136', '--dns.disable-cp', '--dns.resolvers', dns],
        ...names.flatMap((name) => ['--domains', name]),
      ];
      const env = {
        ...process.env,
        LEGO_CA_CERTIFICATES: join(folder, 'ca.pem'),
        RFC2136_NAMESERVER: dns,
        RFC2136_TSIG_ALGORITHM: 'hmac-sha256.',
        RFC2136_TSIG_KEY: 'acme.key.',
        RFC2136_TSIG_SECRET: secret,
        RFC2136_DNS_TIMEOUT: '60',
        // Seconds between two names, a minute otherwise.
        RFC2136_SEQUENCE_INTERVAL: '1',
        RFC2136_POLLING_INTERVAL: '1',
      };
      await run(peer('lego')!, [...args, 'run'], { env });
      expectCertificate(join(path, 'certificates', `${zone}.crt`));
      await expectNothingLeft();
    }
  });

  it('certbot gets one without a pause', async () => {
    await startAuthority(secondaries[1]!);
    const credentials = join(folder, 'rfc2136.ini');
    const settings = {
      server: '127.0.0.1',
      port: service.dnsPort,
      name: 'acme.key.',
      secret,
      algorithm: 'HMAC-SHA256',
    };
    const lines = Object.entries(settings).map(([key, value]) => `dns_rfc2136_${key} = ${value}\n`);
    writeFileSync(credentials, lines.join(''));
    chmodSync(credentials, 0o600);
    const folders = ['config', 'work', 'logs'].flatMap((one) => [
      `--${one}-dir`,
      join(folder, one),
    ]);
    const args = [
      ...['certonly', '--non-interactive', '--agree-tos', '--email', 'a@example.com'],
      ...['--no-eff-email', '--server', directory, ...folders],
      ...['--dns-rfc2136', '--dns-rfc2136-credentials', credentials],
      ...['--dns-rfc2136-propagation-seconds', '0', '--cert-name', zone],
      ...names.flatMap((name) => ['-d', name]),
    ];
    const env = { ...process.env, REQUESTS_CA_BUNDLE: join(folder, 'ca.pem') };
    await run(peer('certbot')!, args, { env });
    expectCertificate(join(folder, 'config/live', zone, 'cert.pem'));
    await expectNothingLeft();
  });
});

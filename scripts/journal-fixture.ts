/**
 * Writes fixtures/journals/NNNN for the schema of today: a service lives through everything that is
 * journalled, and its database is kept as text, with what the service says of it.
 *
 * Usage: npm run journal-fixture [-- --replace]
 *
 * A fixture that is there is replaced only on demand, before its schema was ever released: databases of
 * a released one do not change any more.
 */
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseText } from '../spec/support/database-text.ts';
import { type RunningService, startService } from '../spec/support/service.ts';
import { Journal } from '../src/journal/journal.ts';
import { knownMigrations } from '../src/journal/migrations.ts';
import { openSqlite } from '../src/journal/sqlite.ts';

type Step = readonly [method: string, path: string, body?: unknown];

const soa = { mname: 'ns1.example.net', rname: 'hostmaster@example.net' };

const records = [
  { name: '@', type: 'MX', value: 'mail.example.com.', priority: 20, ttl: 600 },
  { name: 'www', type: 'A', value: '192.0.2.1', ttl: 300 },
  { name: 'www', type: 'A', value: '192.0.2.2', ttl: 300 },
  { name: 'www', type: 'AAAA', value: '2001:db8::1', ttl: 300 },
  { name: 'mail', type: 'A', value: '192.0.2.25' },
  { name: 'alias', type: 'CNAME', value: 'www' },
  { name: '_sip._tcp', type: 'SRV', value: '5 5060 sip.example.com.', priority: 0 },
  { name: 'text', type: 'TXT', value: ['one', 'two "quoted"', 'Zürich'] },
  { name: '@', type: 'CAA', value: '0 issue "ca.example.net"' },
  { name: '*.wild', type: 'A', value: '192.0.2.9' },
  { name: 'odd', type: 'TYPE65280', value: '\\# 3 abcdef' },
  { name: 'child', type: 'NS', value: 'ns.example.net.' },
];

const manyHosts = Array.from({ length: 300 }, (_, index) => ({
  name: `host-${index}`,
  type: 'A',
  value: `198.51.${100 + Math.floor(index / 250)}.${index % 250}`,
}));

const file = `$TTL 3600
@ IN SOA ns1.example.net. hostmaster.example.net. 7 300 60 3600000 86400
@ IN NS ns1.example.net.
www 300 IN A 192.0.2.1
`;

/** In order; a step that fails ends the script. */
const life: readonly Step[] = [
  ['POST', '/zones', { name: 'example.com', ...soa, description: 'the main zone' }],
  ['POST', '/records/bulk', { zone_name: 'example.com', records }],
  ['POST', '/records', { zone_name: 'example.com', name: 'new', type: 'A', value: '192.0.2.7' }],
  ['PUT', '/zones/example.com', { refresh: 900, description: '' }],
  ['DELETE', '/records?zone_name=example.com&name=new&type=A'],
  ['POST', '/zones/example.com/versions/2/rollback'],
  ['POST', '/zones/example.com/notify?bump_serial=true'],
  ['POST', '/zones', { name: 'large.example', ...soa }],
  ['POST', '/records/bulk', { zone_name: 'large.example', records: manyHosts }],
  ['POST', '/zones/large.example/import', { content: 'more 60 IN A 192.0.2.8\n', mode: 'append' }],
  ['POST', '/zones/made.example/import', { content: file, mode: 'append', create: true }],
  ['PUT', '/zones/made.example', { name: 'renamed.example' }],
  ['PUT', '/zones/renamed.example', { enabled: false }],
  ['POST', '/zones', { name: 'back.example', ...soa }],
  ['DELETE', '/zones/back.example'],
  ['POST', '/zones/back.example/restore'],
  ['POST', '/zones', { name: 'deleted.example', ...soa }],
  ['DELETE', '/zones/deleted.example'],
  ['POST', '/zones', { name: 'purged.example', ...soa }],
  ['DELETE', '/zones/purged.example'],
  ['POST', '/zones/purged.example/purge'],
  ['POST', '/roles', { name: 'dns-ops', description: 'records of the main zone' }],
  [
    'POST',
    '/roles/dns-ops/grants',
    {
      zone_name: 'example.com',
      actions: ['record:read', 'record:create'],
      record_name_pattern: '*.dyn',
      record_types: 'A,AAAA',
    },
  ],
  ['POST', '/roles', { name: 'gone' }],
  ['DELETE', '/roles/gone'],
  ['POST', '/tokens', { name: 'ci', role_name: 'dns-ops' }],
  ['POST', '/tsig-keys', { name: 'ddns.example.com', role_name: 'dns-ops' }],
  ['POST', '/tsig-keys', { name: 'big.example', role_name: 'admin', algorithm: 'hmac-sha512' }],
  [
    'POST',
    '/secondaries',
    { name: 'ns2', address: '127.0.0.1:9', notify_key_name: 'ddns.example.com' },
  ],
  ['PUT', '/secondaries/ns2', { enabled: false }],
  ['POST', '/dnssec-policies', { name: 'split', algorithm: 'ed25519', split_keys: true }],
  ['POST', '/zones', { name: 'signed.example', ...soa }],
  ['POST', '/zones/signed.example/dnssec', { parent_ns_addrs: ['127.0.0.1:9'] }],
  ['POST', '/records', { zone_name: 'signed.example', name: 'www', type: 'A', value: '192.0.2.1' }],
  ['POST', '/zones/signed.example/dnssec/rollover', {}],
  ['POST', '/zones/signed.example/desired?owner=shop', { content: 'shop 60 A 192.0.2.4\n' }],
  ['POST', '/zones/example.com/desired?owner=shop', { content: 'alias 3600 CNAME www\n' }],
  ['POST', '/zones', { name: 'split.example', ...soa }],
  [
    'POST',
    '/zones/split.example/dnssec',
    { parent_ns_addrs: ['127.0.0.1:9'], policy_name: 'split' },
  ],
];

/** What the service says of itself, to be compared with what later versions say. */
async function described(service: RunningService): Promise<object> {
  const { items: zones } = await service.must('GET', '/zones?limit=1000');
  const { items: keys } = await service.must('GET', '/tsig-keys');
  const exports: Record<string, string> = {};
  const signing: Record<string, unknown> = {};
  for (const { name } of zones) {
    exports[name] = await service.must('GET', `/zones/${name}/export`);
    const { enabled, keys } = await service.must('GET', `/zones/${name}/dnssec`);
    if (enabled) signing[name] = keys.map(({ dnskey }: { dnskey: string }) => dnskey).sort();
  }
  const secrets: Record<string, string> = {};
  for (const { name } of keys) {
    secrets[name] = (await service.must('GET', `/tsig-keys/${name}`)).secret;
  }
  return { exports, signing, secrets };
}

const schema = String(knownMigrations().length - 1).padStart(4, '0');
const folder = join(import.meta.dirname, '../fixtures/journals', schema);
if (existsSync(folder) && !process.argv.includes('--replace')) {
  throw new Error(`${folder} is there already; --replace writes it anew`);
}

await using service = await startService({ ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS: '0' });
for (const [method, path, body] of life) await service.must(method, path, body);
const { zone } = await service.must('GET', '/zones/example.com');
const before = new Date().toISOString();
await service.must('POST', `/zones/${zone.name}/forget-history`, { before });
const said = await described(service);
await service.end();

const connection = openSqlite(join(service.dataDir, 'zonebook.db'));
const { seq, hash } = new Journal(connection).head();
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'zonebook.sql'), databaseText(connection));
connection.close();
copyFileSync(join(service.dataDir, 'keys.key'), join(folder, 'keys.key'));
const expected = { events: seq, head: hash.toString('hex'), ...said };
writeFileSync(join(folder, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
console.log(`${folder}: ${seq} events`);

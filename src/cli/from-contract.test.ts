/** Commands made from the contract: what goes where, and what is refused before anything is sent. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CannedService } from '../../spec/support/canned-service.ts';
import { run } from '../../spec/support/command-line.ts';
import { passOn } from './from-contract.ts';
import { resource } from './resource.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-cli-'));
let service: CannedService;
beforeAll(async () => {
  service = await CannedService.start(join(folder, 'zonebook.sock'));
});
afterAll(() => {
  service.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  service.asked.length = 0;
  service.reply = { status: 200, body: { message: 'done' } };
});

const cli = (line: string) => run(line.split(' '), { dataDir: folder });

describe('values', () => {
  const dnssec = '/zones/example.com/dnssec';
  it.each([
    [
      'dnssec disable example.com --skip-ds-check --yes',
      'DELETE',
      dnssec,
      { skip_ds_check: 'true' },
    ],
    ['dnssec sign example.com', 'POST', `${dnssec}/sign`, {}],
    ['dnssec roll example.com', 'POST', `${dnssec}/rollover`, {}],
    ['dnssec roll example.com --role zsk', 'POST', `${dnssec}/rollover`, {}, { role: 'zsk' }],
    [
      'dnssec enable Example.com --parent-ns a.nic.example,b.nic.example:5353 --policy p',
      'POST',
      '/zones/Example.com/dnssec',
      {},
      { parent_ns_addrs: ['a.nic.example', 'b.nic.example:5353'], policy_name: 'p' },
    ],
    ['dnssec set example.com --policy p', 'PUT', dnssec, {}, { policy_name: 'p' }],
    ['secondary update ns2', 'PUT', '/secondaries/ns2', {}, {}],
    [
      'secondary update ns2 --no-enabled --notify-key k',
      'PUT',
      '/secondaries/ns2',
      {},
      { enabled: false, notify_key_name: 'k' },
    ],
    [
      'webhook create chat --url https://hooks.example.net/zones --filter {"zone":"example.com"}',
      'POST',
      '/webhooks',
      {},
      { name: 'chat', url: 'https://hooks.example.net/zones', filter: { zone: 'example.com' } },
    ],
    [
      'webhook update chat --url https://hooks.example.net/moved',
      'PUT',
      '/webhooks/chat',
      {},
      { url: 'https://hooks.example.net/moved' },
    ],
    ['zone purge example.com --id 7 --yes', 'POST', '/zones/example.com/purge', { id: '7' }],
    [
      'dnssec-policy update p --validity-days 21 --zsk-lifetime-days 0',
      'PUT',
      '/dnssec-policies/p',
      {},
      { signature_validity_days: 21, zsk_lifetime_days: 0 },
    ],
  ] as const)('of %j go where the route takes them', async (line, method, path, query, body?) => {
    await cli(line);
    expect(service.asked).toEqual([{ method, path, query, body }]);
  });

  it.each([
    ['zone forget-history example.com', 'missing required argument: before'],
    ['dnssec enable example.com', 'name at least one server of the parent zone with --parent-ns'],
    ['dnssec roll example.com --role key', '--role is one of csk, ksk, zsk'],
    ['zone purge example.com --id x', '--id takes a whole number'],
    ['zone version rollback example.com 1 --names ,', '--names is empty'],
    ['zone version rollback example.com 1 --types ', '--types is empty'],
    ['undo 7 --yes --names ', '--names is empty'],
    ['role grant ops --actions record:create --types ', '--types is empty'],
    ['webhook update chat --filter zone=example.com', '--filter takes a JSON object like {'],
    ['webhook update chat --filter [1]', '--filter takes a JSON object like {'],
    ['zone guard example.com --max-deletes 5 --protect ', '--protect is empty'],
  ])('of %j are refused before anything is sent', async (line, says) => {
    const { code, err } = await cli(line);
    expect([code, err]).toEqual([2, expect.stringContaining(says)]);
    expect(service.asked).toEqual([]);
  });
});

it('an option of a command itself does not say which service is asked', async () => {
  const token = { ZONEBOOK_TOKEN: 'zbt_secret' };
  const env = { ...token, ZONEBOOK_URL: 'http://127.0.0.1:1' };
  const line = 'webhook update chat --url http://127.0.0.1:2/zones'.split(' ');
  const { code, err } = await run(line, { dataDir: folder, env });
  expect([code, err]).toEqual([
    7,
    expect.stringContaining('http://127.0.0.1:1 can not be reached'),
  ]);
  expect(service.asked).toEqual([]);
});

describe('a row', () => {
  const words = { usage: 'x <name>', summary: 'x', examples: [] };

  it('takes every parameter of its route, in the words of the contract where it has none', () => {
    const fields = { notifyKey: 'its key' };
    const { positionals, options } = passOn({ ...words, route: 'updateSecondary', fields });
    expect(Object.keys(positionals ?? {})).toEqual(['name']);
    const meanings = Object.entries(options ?? {}).map(([name, { settings }]) => [
      name,
      settings.describe,
    ]);
    expect(meanings).toEqual([
      ['address', 'host[:port], port 53 when left out; IPv6 as [address]:port'],
      ['enabled', 'enabled'],
      ['notifyKey', 'its key'],
    ]);
  });

  it('is refused where the contract knows no such operation or field', () => {
    expect(() => passOn({ ...words, route: 'nonsense' })).toThrow('no operation nonsense');
    const fields = { name: 'a name', colour: 'no field of a zone' };
    expect(() => passOn({ ...words, route: 'getZone', fields })).toThrow('getZone takes no colour');
  });
});

it('a field that is no parameter of the route is not sent, and may ask for exact text', async () => {
  const tsig_key = { id: 1, name: 'ns2', algorithm: 'hmac-sha256', role_name: 'transfer' };
  service.reply = { status: 200, body: { secret: 'c2VjcmV0', tsig_key } };
  const { out } = await cli('tsig-key get ns2 --format nsd -o json');
  expect(out).toBe('key:\n  name: "ns2"\n  algorithm: hmac-sha256\n  secret: "c2VjcmV0"\n');
  expect(service.asked).toEqual([{ method: 'GET', path: '/tsig-keys/ns2', query: {} }]);
});

it('a resource has no verbs that its path in the contract has not', () => {
  const { list, update } = resource({ path: '/tokens', key: 'token', none: '', columns: ['name'] });
  expect(list({ examples: [] }).usage).toBe('list');
  expect(() => update({ examples: [] })).toThrow('the contract has no PUT /tokens/{}');
});

it('warnings of an answer are told once, those about no name by their message alone', async () => {
  const warnings = [{ code: 'SECONDARY_AHEAD', message: 'ns2 is ahead' }];
  const body = { zone_name: 'example.com', serial: 7, secondaries: [], warnings };
  service.reply = { status: 200, body };
  const { out, err } = await cli('zone status example.com -o table');
  expect(out).toBe('zone example.com is at serial 7; no enabled secondaries\n');
  expect(err).toBe('warning: ns2 is ahead\n');
});

it('a version that is not found may be one that a tag was to name', async () => {
  const error = "zone 'example.com' has no tag 'monday'";
  service.reply = { status: 404, body: { error, code: 'VERSION_NOT_FOUND' } };
  const { code, err } = await cli('zone version get example.com tag:monday');
  expect([code, err]).toEqual([3, expect.stringContaining("'zonebook zone tag list ZONE'")]);
});

it('a reason that is missing is asked for by the option', async () => {
  const error = 'the role of this caller gives a reason for every write: header Zonebook-Reason';
  service.reply = { status: 400, body: { error, code: 'REASON_REQUIRED' } };
  const { code, err } = await cli('zone notify example.com');
  expect([code, err]).toEqual([
    1,
    `zonebook: ${error} (REASON_REQUIRED); give one with --reason or ZONEBOOK_REASON\n`,
  ]);
});

it.each([
  ['zone update example.com --refresh 300', ['PUT'], { zone: { name: 'example.com' } }],
  // It reads the guard first, which it changes.
  ['zone guard example.com --default', ['GET', 'PUT'], { zone: { name: 'example.com' } }],
  ['zone tag set example.com good 7', ['POST'], { name: 'good', serial: 7 }],
])(
  '--exit-code of %s goes by the answer of the dry run, and asks nothing after it',
  async (line, methods, said) => {
    for (const [unchanged, code] of [
      [true, 0],
      [false, 8],
    ]) {
      service.asked.length = 0;
      const body = { applied: false, dry_run: true, unchanged, warnings: [], ...said };
      service.reply = { status: 200, body };
      const ran = await cli(`${line} --dry-run --exit-code -o json`);
      const asked = service.asked.map(({ method }) => method);
      expect([ran.code, asked], ran.err).toEqual([code, methods]);
    }
  },
);

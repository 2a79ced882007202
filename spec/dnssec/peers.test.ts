/**
 * named, knotd and nsd as secondaries of a zone while it is signed, changed, rolled and unsigned: they
 * follow by IXFR alone (case 31), hold what we hold, and what they hold is what verifiers accept
 * (cases 78, 79 and 81 on the way). delv validates the answers of named with nothing but our DS.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { patienceMs } from '../support/patience.ts';
import { needsPeers } from '../support/peers.ts';
import { type RunningSecondary, startSecondary } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';
import { askDelv } from '../support/validators.ts';
import { sortedRecords, transferOf } from '../support/zone-servers.ts';
import { complaintsOf, verifiers } from '../support/zone-verifiers.ts';

const zone = 'example.test';
const kinds = ['named', 'knotd', 'nsd'] as const;
const secureDs = `12345 13 2 ${'AB'.repeat(32)}`;

/** RRsets of several records, so that no step of signing is longer than the zone itself. */
function masterFile(): string {
  const lines = Array.from({ length: 25 }, (_, host) =>
    Array.from({ length: 9 }, (__, at) => `h${host} 300 IN A 192.0.${host}.${at}`),
  ).flat();
  return [
    ...lines,
    'ns1 300 IN A 192.0.2.1',
    '*.wild 300 IN TXT "wild"',
    'a.b.ent 300 IN A 192.0.2.2',
    'alias 300 IN CNAME h1.example.test.',
    'tree 300 IN DNAME elsewhere.test.',
    'plain 300 IN NS ns.plain.example.test.',
    'ns.plain 300 IN A 192.0.2.3',
    'secure 300 IN NS ns1.example.test.',
    `secure 300 IN DS ${secureDs}`,
    '',
  ].join('\n');
}

/** Questions to delv, and what it says of the answers. */
const questions: readonly (readonly [string, string, string])[] = [
  ['h1', 'A', 'fully validated'],
  ['alias', 'A', 'fully validated'],
  ['nothing', 'A', 'ncache nxdomain, fully validated'],
  ['h1', 'TXT', 'ncache nxrrset, fully validated'],
  ['ent', 'A', 'ncache nxrrset, fully validated'],
  ['x.wild', 'TXT', 'fully validated'],
  ['plain', 'DS', 'ncache nxrrset, fully validated'],
  ['secure', 'DS', 'fully validated'],
];

needsPeers(
  ...kinds,
  ...verifiers,
  'dig',
  'delv',
)('secondaries of a signed zone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-peers-'));
  const closing: AsyncDisposable[] = [];
  const secondaries: RunningSecondary[] = [];
  let service: RunningService;
  /** AXFRs that this test made, and those that began each secondary's life. */
  let known = 0;

  beforeAll(async () => {
    service = await startService();
    closing.push(service);
    await service.must('POST', '/dnssec-policies', { name: 'nsec', denial: 'nsec' });
    const names = { name: zone, mname: `ns1.${zone}`, rname: `root@${zone}` };
    await service.must('POST', '/zones', { ...names, minimum_ttl: 600 });
    const content = masterFile();
    await service.must('POST', `/zones/${zone}/import`, { content });
    for (const kind of kinds) {
      const secondary = await startSecondary(kind, zone, service.dnsPort);
      closing.push(secondary);
      secondaries.push(secondary);
      const address = `127.0.0.1:${secondary.port}`;
      await service.must('POST', '/secondaries', { name: kind, address });
    }
    await followed();
    // Each is counted when its last byte has gone.
    await vi.waitUntil(async () => (await axfrs()) >= secondaries.length, { timeout: patienceMs });
    known = await axfrs();
  });

  afterAll(async () => {
    for (const each of closing.reverse()) await each[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  async function serial(): Promise<number> {
    return (await service.must('GET', `/zones/${zone}`)).zone.serial;
  }

  async function axfrs(): Promise<number> {
    const text: string = await service.must('GET', '/metrics');
    const pattern = /^zonebook_xfr_total\{type="axfr",result="ok",transport="tcp"\} (\d+)/m;
    return Number(pattern.exec(text)?.[1] ?? 0);
  }

  async function followed(): Promise<void> {
    const wanted = await serial();
    for (const secondary of secondaries) await secondary.waitForSerial(wanted);
  }

  const dnssec = (method: string, action: string, body?: object) =>
    service.must(method, `/zones/${zone}/dnssec${action}`, body);

  /** All have the step, by a delta, and hold what we hold; the verifiers accept it. */
  async function holdsEverywhere(step: string): Promise<void> {
    await followed();
    await expect
      .poll(async () => ({
        step,
        axfrs: await axfrs(),
        transfers: (await service.must('GET', '/secondaries/named/transfers')).transfers,
      }))
      .toMatchObject({
        step,
        axfrs: known,
        transfers: [{ kind: 'ixfr', result: 'ok', incremental: true }],
      });
    const ours = await transferOf(service.dnsPort, zone);
    known++;
    for (const { kind, port } of secondaries) {
      const theirs = await transferOf(port, zone);
      expect({ step, kind, records: sortedRecords(theirs) }).toEqual({
        step,
        kind,
        records: sortedRecords(ours),
      });
    }
    const { enabled, keys } = await dnssec('GET', '');
    if (!enabled) return;
    const cskCount = keys.length as number;
    const terms = { origin: `${zone}.`, now: Date.now(), cskCount };
    expect({ step, complaints: await complaintsOf(ours, terms) }).toEqual({ step, complaints: [] });
  }

  async function validates(step: string): Promise<void> {
    const { ds_records: records } = await dnssec('GET', '');
    const port = secondaries[0]!.port;
    const anchor = { zone, ds: records[0].presentation as string };
    for (const [label, type, expected] of questions) {
      const said = await askDelv(port, anchor, join(folder, 'anchor'), `${label}.${zone}`, type);
      expect({ step, label, type, said }).toEqual({ step, label, type, said: expected });
    }
  }

  it('case 31: follow every step of its life by IXFR, and unsign by IXFR', async () => {
    await dnssec('POST', '', { parent_ns_addrs: ['127.0.0.1:9'] });
    await holdsEverywhere('enabled');
    await validates('enabled');

    for (const [name, type, value] of [
      ['new', 'A', '192.0.2.9'],
      ['x.y.z', 'TXT', 'deep'],
      ['h1', 'MX', 'mail.other.test.'],
      ['cut', 'NS', 'ns.other.test.'],
    ]) {
      await service.must('POST', '/records', { zone_name: zone, name, type, value });
      await followed();
    }
    await holdsEverywhere('changed');
    await service.must('DELETE', `/records?zone_name=${zone}&name=h2`);
    await holdsEverywhere('a name less');
    await service.must('PUT', `/zones/${zone}`, { minimum_ttl: 300 });
    await holdsEverywhere('another minimum TTL');
    await dnssec('POST', '/sign');
    await holdsEverywhere('signed anew');
    await dnssec('PUT', '', { policy_name: 'nsec' });
    await holdsEverywhere('NSEC');
    await validates('NSEC');
    await dnssec('PUT', '', { policy_name: 'default' });
    await holdsEverywhere('NSEC3');

    const rolling = await dnssec('POST', '/rollover');
    expect(rolling.keys.map(({ state }: { state: string }) => state)).toEqual([
      'active',
      'published',
    ]);
    await holdsEverywhere('a key published');
    await dnssec('POST', '/rollover/promote', { skip_holddown: true, skip_ds_check: true });
    await holdsEverywhere('the key promoted');
    await validates('the key promoted');

    await dnssec('POST', '/withdraw');
    await holdsEverywhere('the DS withdrawn');
    const cds = sortedRecords(await transferOf(secondaries[0]!.port, zone));
    expect(cds.filter((line) => / CDS | CDNSKEY /.test(line) && !line.includes('RRSIG'))).toEqual([
      expect.stringMatching(/ CDNSKEY 0 3 0 AA==$/),
      expect.stringMatching(/ CDS 0 0 0 00$/),
    ]);
    await dnssec('DELETE', '/withdraw');
    await holdsEverywhere('not withdrawn');

    await dnssec('DELETE', '?skip_ds_check=true');
    await holdsEverywhere('disabled');
    for (const { kind, port } of secondaries) {
      const left = await transferOf(port, zone);
      expect({ kind, left }).toMatchObject({
        left: expect.not.stringMatching(/RRSIG|NSEC|KEY|CDS/),
      });
    }
  }, 3_600_000);
});

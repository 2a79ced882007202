/**
 * Rolls that wait: for a parent that never answers, for secondaries that are behind; published keys that
 * are taken away; DS that match no key (cases 107 and 108), with the clock of the service in the test's
 * hands.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ParentAnswer } from '../../src/dnssec/parent-ds.ts';
import type { SecondaryAnswer } from '../../src/dnssec/secondary-serials.ts';
import { InProcessService } from '../support/in-process.ts';
import { foreignDs, SignedZoneDesk, serves } from '../support/signing.ts';

const hour = 3_600_000;
const day = 24 * hour;
const silent: ParentAnswer = { address: 'a:53', failure: 'no answer' };
const skipping = { skip_ds_check: true, skip_holddown: true };

let service: InProcessService;
beforeEach(async () => {
  service = new InProcessService();
  const split = { name: 'split', split_keys: true, zsk_lifetime_days: 1 };
  await service.call('POST', '/dnssec-policies', split, 201);
  const edwards = { name: 'edwards', algorithm: 'ed25519', denial: 'nsec' };
  await service.call('POST', '/dnssec-policies', edwards, 201);
});
afterEach(async () => {
  // All of it is journalled: replay gives the same.
  expect(await service.verify()).toEqual([]);
  await service.close();
});

const signed = (name: string, policy?: string) => SignedZoneDesk.signed(service, name, policy);
const run = () => service.signing.scheduler.runOnce();
const statesOf = ({ keys }: { keys: { role: string; state: string }[] }) =>
  keys.map(({ role, state }) => `${role} ${state}`);
async function metric(name: string): Promise<number> {
  const text = await (await service.fetch('GET', '/metrics')).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
}

describe('a KSK that waits for its parent', () => {
  it('case 107: ZSKs are rolled all the same, and abort takes the key away', async () => {
    const desk = await signed('waits.example', 'split');
    desk.say(silent);
    const published = await desk.post('/rollover', { role: 'ksk' });
    const ksk = published.keys.at(-1).key_tag;
    const zsks = new Set<number>();
    for (let passed = 0; passed < 12; passed++) {
      service.pass(12 * hour);
      await run();
      const status = await desk.status();
      for (const key of status.keys) if (key.role === 'zsk') zsks.add(key.key_tag);
      const zsk = status.keys.find(
        (key: { role: string; state: string }) => key.role === 'zsk' && key.state === 'active',
      );
      expect(await desk.typesSignedBy(zsk.key_tag)).toContain('SOA');
    }
    expect(zsks.size).toBeGreaterThanOrEqual(3);
    const waiting = await desk.status();
    const step = waiting.next_steps.find(({ action }: { action: string }) => action === 'promote');
    expect(step).toMatchObject({
      key_tags: [ksk],
      awaits: 'ds_at_all_parents',
      waiting_since: published.keys.at(-1).eligible_at,
      blocked_by: expect.stringContaining('a:53'),
    });
    await desk.refused('POST', '/rollover', { role: 'ksk' }, 'DNSSEC_ROLLOVER_IN_PROGRESS');
    const { serial } = await desk.status();
    const aborted = await desk.post('/rollover/abort');
    expect(aborted.serial).toBe(serial + 1);
    expect(aborted.keys.map(({ key_tag }: { key_tag: number }) => key_tag)).not.toContain(ksk);
    expect(await desk.derived('CDS')).toHaveLength(1);
    expect(await desk.typesSignedBy(ksk)).toEqual([]);
    expect(service.lastEvent()?.payload).toContain('keys-aborted');
  });

  it('case 107: nothing is aborted after the promotion', async () => {
    const desk = await signed('promoted.example', 'split');
    const refused = (body: object, code: string, says: string) =>
      desk.refused('POST', '/rollover/abort', body, code, says);
    await refused({}, 'DNSSEC_NO_ROLLOVER_IN_PROGRESS', 'no published key');
    await desk.post('/rollover', { role: 'ksk' });
    await refused({ role: 'zsk' }, 'INVALID_INPUT', 'role');
    await desk.post('/rollover/promote', skipping);
    await refused({}, 'DNSSEC_NO_ROLLOVER_IN_PROGRESS', 'was replaced');
    await desk.post('/rollover', { role: 'zsk' });
    expect(statesOf(await desk.post('/rollover/abort', { role: 'zsk' }))).toEqual([
      'ksk retired',
      'zsk active',
      'ksk active',
    ]);
  });

  it('case 107: a key that the parent relies on stays', async () => {
    const desk = await signed('relied.example');
    const { ds_records: both } = await desk.post('/rollover');
    desk.say(serves([both[1]]));
    await desk.refused('POST', '/rollover/abort', {}, 'DNSSEC_DS_PUBLISHED', 'parent:53');
    desk.say(serves(both));
    await desk.refused('POST', '/rollover/abort', {}, 'DNSSEC_DS_PUBLISHED', 'caches may hold');
    service.pass(3 * hour);
    const { delegation, keys } = await desk.post('/rollover/abort');
    expect(delegation.ds_state).toBe('published');
    expect(keys).toHaveLength(1);
  });
});

describe('a move to another algorithm', () => {
  it('case 107: is aborted before the promotion: keys and signatures leave in one serial', async () => {
    const desk = await signed('moved.example');
    const before = await desk.status();
    const signatures = (await desk.derived('RRSIG')).map((line) => line.split(' ')[1]).sort();
    await service.call('PUT', desk.path, { policy_name: 'edwards' });
    await desk.refused('PUT', '', { policy_name: 'default' }, 'DNSSEC_ROLLOVER_IN_PROGRESS');
    const moved = await desk.status();
    expect(moved.keys).toHaveLength(2);
    desk.say(silent);
    const aborted = await desk.post('/rollover/abort');
    expect(aborted).toMatchObject({
      serial: moved.serial + 1,
      policy: { name: 'default' },
      keys: before.keys,
      ds_records: before.ds_records,
      signatures: before.signatures,
    });
    expect((await desk.derived('RRSIG')).map((line) => line.split(' ')[1]).sort()).toEqual(
      signatures,
    );
    expect(await desk.derived('NSEC')).toEqual([]);
    // Once its DS may stand at the parent, silence keeps it: validators may insist on the algorithm.
    await service.call('PUT', desk.path, { policy_name: 'edwards' });
    service.pass(3 * day);
    await run();
    await desk.refused('POST', '/rollover/abort', {}, 'DNSSEC_DS_UNVERIFIED', 'a:53');
    const { ds_records: both } = await desk.status();
    desk.say(serves(both));
    await desk.refused('POST', '/rollover/abort', {}, 'DNSSEC_DS_PUBLISHED', 'algorithm 15');
    // What was seen there may be in caches, until its TTL is over and that of DNSKEY.
    desk.say(serves([both[0]]));
    await desk.refused('POST', '/rollover/abort', {}, 'DNSSEC_DS_PUBLISHED', 'caches may hold');
    service.pass(3 * hour);
    expect((await desk.post('/rollover/abort')).keys).toHaveLength(1);
    await service.call('DELETE', '/dnssec-policies/edwards');
  });

  it('case 107: is aborted in a zone that is signed ahead of its commit', async () => {
    const desk = await signed('large.example');
    const hosts = Array.from({ length: 400 }, (_, at) => `h${at}.large.example. 300 IN A 10.0.0.1`);
    const content = `${hosts.join('\n')}\n`;
    await service.call('POST', '/zones/large.example/import', { content, mode: 'append' });
    const before = await desk.status();
    await service.call('PUT', desk.path, { policy_name: 'edwards' });
    const aborted = await desk.post('/rollover/abort');
    expect(aborted).toMatchObject({ serial: before.serial + 2, signatures: before.signatures });
    expect(aborted.keys).toEqual(before.keys);
    expect(await desk.derived('NSEC3')).toHaveLength(401);
  });
});

describe('the DS of zones at rest', () => {
  it('case 108: one that matches no key is known within a day, and that it is mended', async () => {
    const desk = await signed('foreign.example');
    const { ds_records } = await desk.status();
    desk.say(serves(ds_records));
    await run();
    const asked: string[] = [];
    const [ds] = ds_records;
    const foreign = serves([foreignDs(ds)]);
    service.parents = (zoneName) => {
      asked.push(zoneName);
      return [foreign];
    };
    service.pass(hour);
    await run();
    expect(asked).toEqual([]);
    expect(await desk.status()).toMatchObject({ foreign_ds_since: null, warnings: [] });
    for (let passed = 0; passed < 23; passed++) {
      service.pass(hour);
      await run();
    }
    expect(asked).toEqual(['foreign.example']);
    const status = await desk.status();
    expect(status.foreign_ds_since).toMatch(/^20/);
    expect(status.warnings).toEqual([expect.stringContaining('names no key of the zone')]);
    expect(await metric('zonebook_dnssec_foreign_ds_zones_total')).toBe(1);
    const checked = await desk.post('/check-ds');
    expect(checked).toMatchObject({ foreign_ds_since: status.foreign_ds_since });
    expect(checked.warnings).toHaveLength(1);
    // Silence takes nothing back.
    desk.say(silent);
    service.pass(day);
    await run();
    expect((await desk.status()).foreign_ds_since).toBe(status.foreign_ds_since);
    desk.say(serves(ds_records));
    service.pass(day);
    await run();
    expect(await desk.status()).toMatchObject({ foreign_ds_since: null, warnings: [] });
    expect(await metric('zonebook_dnssec_foreign_ds_zones_total')).toBe(0);
  });

  it('case 108: a silent parent keeps no other zone waiting', async () => {
    const [first, second] = [await signed('a.example'), await signed('b.example')];
    await first.post('/rollover');
    const { ds_records: both } = await second.post('/rollover');
    service.pass(2 * day);
    const { promise: never, resolve } = Promise.withResolvers<ParentAnswer[]>();
    const answered: ParentAnswer[] = [serves(both)];
    service.parents = (name) => (name === 'a.example' ? never : answered) as ParentAnswer[];
    const running = run();
    await expect.poll(async () => statesOf(await second.status())).toContain('csk retired');
    resolve([silent]);
    await running;
    expect(statesOf(await first.status())).toEqual(['csk active', 'csk published']);
  });
});

describe('secondaries that are behind', () => {
  const at = (serial: number | null, name = 'ns2'): SecondaryAnswer => {
    return { name, address: '192.0.2.2:53', serial };
  };
  const mute: SecondaryAnswer = { name: 'ns2', address: '192.0.2.2:53', failure: 'no answer' };
  let answer: SecondaryAnswer;
  let desk: SignedZoneDesk;
  beforeEach(async () => {
    const registered = { name: 'ns2', address: '192.0.2.2' };
    await service.call('POST', '/secondaries', registered, 201);
    service.secondaries = () => [answer];
    answer = at(0);
    desk = await signed('followed.example');
    answer = at((await desk.status()).serial);
  });
  const promoteStep = async () =>
    (await desk.status()).next_steps.find(({ action }: { action: string }) => action === 'promote');

  it('hold promotion and removal back, and caches get their time after that', async () => {
    const { serial, ds_records: both } = await desk.post('/rollover');
    desk.say(serves(both));
    expect((await promoteStep()).secondaries_behind).toEqual(['ns2']);
    service.pass(2 * day);
    await run();
    expect(await promoteStep()).toMatchObject({
      secondaries_behind: ['ns2'],
      blocked_by: expect.stringMatching(/'ns2' \(192\.0\.2\.2:53\) still serves serial \d+/),
    });
    const path = '/rollover/promote';
    await desk.refused('POST', path, {}, 'DNSSEC_SECONDARY_BEHIND', "'ns2'");
    await desk.refused('POST', path, skipping, 'DNSSEC_SECONDARY_BEHIND', 'serial');
    answer = at(serial);
    await run();
    // What it served until now may be in caches for the TTL of DNSKEY.
    expect(await promoteStep()).toMatchObject({ secondaries_behind: [], blocked_by: null });
    await desk.refused('POST', path, {}, 'INVALID_INPUT', 'may be promoted from');
    service.pass(hour + 1000);
    await run();
    expect(statesOf(await desk.status())).toEqual(['csk retired', 'csk active']);
    const promoted = await desk.status();
    desk.say(serves([both[1]]));
    service.pass(30 * day);
    await run();
    const [removal] = (await desk.status()).next_steps.filter(
      ({ action }: { action: string }) => action === 'remove',
    );
    expect(removal).toMatchObject({
      secondaries_behind: ['ns2'],
      waiting_since: expect.any(String),
    });
    answer = at(promoted.serial);
    await run();
    expect(statesOf(await desk.status())).toHaveLength(2);
    service.pass(2 * hour);
    await run();
    expect(statesOf(await desk.status())).toEqual(['csk active']);
  });

  it('are passed by skip_secondaries, until the end of the roll', async () => {
    const { ds_records: both } = await desk.post('/rollover');
    const past = { ...skipping, skip_secondaries: true };
    expect(statesOf(await desk.post('/rollover/promote', past))).toEqual([
      'csk retired',
      'csk active',
    ]);
    desk.say(serves([both[1]]));
    service.pass(3 * day);
    await run();
    expect(statesOf(await desk.status())).toEqual(['csk active']);
  });

  it('hold it by silence until the expire has passed since they were seen', async () => {
    const { ds_records: both } = await desk.post('/rollover');
    desk.say(serves(both));
    answer = mute;
    service.pass(20 * day);
    await run();
    expect(await promoteStep()).toMatchObject({
      secondaries_behind: ['ns2'],
      blocked_by: expect.stringContaining('does not answer'),
    });
    // 3,600,000 s are 42 days.
    service.pass(24 * day);
    await run();
    service.pass(2 * hour);
    await run();
    expect(statesOf(await desk.status())).toEqual(['csk retired', 'csk active']);
  });

  it('hold nothing that never answered, serve the zone no more, or are disabled', async () => {
    answer = mute;
    const other = await signed('unseen.example');
    await other.post('/rollover');
    expect(statesOf(await other.post('/rollover/promote', skipping))).toContain('csk retired');
    answer = at((await desk.status()).serial);
    await desk.post('/rollover');
    answer = at(null);
    expect(statesOf(await desk.post('/rollover/promote', skipping))).toContain('csk retired');
  });

  it('hold a ZSK back too, which asks no parent', async () => {
    const split = await signed('pair.example', 'split');
    answer = at((await split.status()).serial);
    await split.post('/rollover', { role: 'zsk' });
    service.pass(3 * hour);
    await run();
    expect(statesOf(await split.status())).toContain('zsk published');
    expect((await split.status()).next_steps).toContainEqual(
      expect.objectContaining({ action: 'promote', secondaries_behind: ['ns2'] }),
    );
    answer = at((await split.status()).serial);
    await run();
    service.pass(2 * hour);
    await run();
    expect(statesOf(await split.status())).toContain('zsk retired');
  });
});

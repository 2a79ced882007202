/**
 * What rolls wait for when the outside changes meanwhile: parents that lower their TTL, fall silent or go
 * back, zones whose refresh was lowered, clocks that are set back.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { SignedZoneDesk, serves } from '../support/signing.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const monthMs = 31 * dayMs;
const silent = { address: 'parent:53', failure: 'no answer' };
const name = 'example.com';

let service: InProcessService;
let desk: SignedZoneDesk;
beforeEach(async () => {
  service = new InProcessService();
  service.stopClock();
  await service.call('POST', '/dnssec-policies', { name: 'ed', algorithm: 'ed25519' }, 201);
  const split = { name: 'split', split_keys: true, zsk_lifetime_days: 30 };
  await service.call('POST', '/dnssec-policies', split, 201);
  desk = await SignedZoneDesk.signed(service, name);
});
afterEach(async () => {
  // All of it is journalled: replay gives the same.
  expect(await service.verify()).toEqual([]);
  await service.close();
});

const runs = () => service.signing.scheduler.runOnce();
const states = async () =>
  (await desk.status()).keys.map(({ state }: { state: string }) => state).join(' ');
/** Seconds from now on until a key in this state may go on. */
const waitOf = async (state: string): Promise<number> => {
  const { keys } = await desk.status();
  const { eligible_at } = keys.find((key: { state: string }) => key.state === state);
  return Math.round((Date.parse(eligible_at) - service.now()) / 1000);
};
const skipping = { skip_ds_check: true, skip_holddown: true };

describe('case 104: the TTL of the DS', () => {
  const promoted = async (before: number, after: number): Promise<void> => {
    const { ds_records: old } = await desk.status();
    desk.say(serves(old, before));
    // Nobody has asked for it before: the roll itself does.
    const { ds_records: both } = await desk.post('/rollover');
    service.pass(2 * hourMs);
    desk.say(serves(both, after));
    await desk.post('/rollover/promote');
  };

  it('counts as it was before the parent lowered it with the roll', async () => {
    await promoted(172_800, 60);
    expect(await waitOf('retired')).toBe(172_800 + 300);
  });

  it('counts as it is after the parent raised it', async () => {
    await promoted(60, 172_800);
    expect(await waitOf('retired')).toBe(172_800 + 300);
  });

  it('counts no more from before the DS of the key was seen', async () => {
    await promoted(172_800, 7200);
    desk.say(serves((await desk.status()).ds_records, 7200));
    service.pass(3 * dayMs);
    await runs();
    expect(await states()).toBe('active');
    // The successor was seen with 7200 first.
    await promoted(7200, 60);
    expect(await waitOf('retired')).toBe(7200 + 300);
  });

  it('counts as a day where the DS of the replaced key was never seen', async () => {
    desk.say(serves([]));
    const { ds_records: both } = await desk.post('/rollover');
    service.pass(2 * hourMs);
    desk.say(serves([both[1]], 60));
    await desk.post('/rollover/promote');
    expect(await waitOf('retired')).toBe(86_400 + 300);
  });

  it('counts for what disabling says', async () => {
    const { ds_records: ds } = await desk.status();
    for (const ttl of [7200, 60]) {
      desk.say(serves(ds, ttl));
      await desk.post('/check-ds');
    }
    desk.say(serves([]));
    const { message } = await service.call('DELETE', desk.path);
    const until = Date.parse(/until (\S+) and/.exec(message)![1]!);
    expect(Math.round((until - service.now()) / 1000)).toBe(7200);
  });
});

describe('the refresh of the SOA', () => {
  it('counts as it was, for secondaries that still go by it', async () => {
    const put = (refresh: number) => service.call('PUT', `/zones/${name}`, { refresh });
    await put(86_400);
    await put(300);
    await desk.post('/rollover');
    expect(await waitOf('published')).toBe(3600 + 86_400);
    service.pass(2 * dayMs);
    await desk.post('/rollover/promote', { skip_ds_check: true });
    expect(await waitOf('retired')).toBe(86_400 + 300);
  });

  it('counts as it was before the zone was signed', async () => {
    const other = 'plain.example';
    await service.createZone(other, { refresh: 86_400 });
    await service.call('PUT', `/zones/${other}`, { refresh: 300 });
    const parents = { parent_ns_addrs: ['192.0.2.1'] };
    const { next_steps } = await service.call('POST', `/zones/${other}/dnssec`, parents, 201);
    const wait = Math.round((Date.parse(next_steps[0].at) - service.now()) / 1000);
    expect([next_steps[0].action, wait]).toEqual(['publish_cds', 3600 + 86_400]);
  });
});

describe('a slip of the hand', () => {
  const [mostUnsigned, mostCached, mostRefresh] = [7 * 86_400, 14 * 86_400, 28 * 86_400];
  const greatest = 2_147_483_647;

  it('with a TTL counts as long as resolvers keep anything', async () => {
    const other = 'slip.example';
    await service.createZone(other);
    const given = { zone_name: other, name: 'a', type: 'A', value: '192.0.2.1', ttl: greatest };
    await service.call('POST', '/records', given, 201);
    const { items } = await service.call('GET', `/records?zone_name=${other}&name=a`);
    const { id } = items[0];
    await service.call('PUT', `/records/${id}`, { ttl: 60 });
    const parents = { parent_ns_addrs: ['192.0.2.1'] };
    const enabled = await service.call('POST', `/zones/${other}/dnssec`, parents, 201);
    const wait = Math.round((Date.parse(enabled.next_steps[0].at) - service.now()) / 1000);
    expect([enabled.next_steps[0].action, wait]).toEqual(['publish_cds', mostUnsigned + 300]);
    await service.call('PUT', `/records/${id}`, { ttl: greatest });
    await service.call('PUT', `/records/${id}`, { ttl: 60 });
    const slipped = new SignedZoneDesk(service, other);
    await slipped.post('/rollover');
    const { keys } = await slipped.post('/rollover/promote', skipping);
    const left = Math.round((Date.parse(keys[0].eligible_at) - service.now()) / 1000);
    expect([keys[0].state, left]).toEqual(['retired', mostCached + 300]);
  });

  it('with the refresh counts as long as secondaries wait', async () => {
    for (const refresh of [greatest, 60]) {
      await service.call('PUT', `/zones/${name}`, { refresh });
    }
    await desk.post('/rollover');
    expect(await waitOf('published')).toBe(3600 + mostRefresh);
    // It is forgotten after that, too.
    await desk.post('/rollover/abort', { skip_ds_check: true });
    service.pass(29 * dayMs);
    await desk.post('/rollover');
    expect(await waitOf('published')).toBe(3600 + 60);
  });

  it('of the parent counts as long as resolvers keep anything', async () => {
    const { ds_records: old } = await desk.status();
    for (const ttl of [greatest, 3600]) {
      desk.say(serves(old, ttl));
      await desk.post('/check-ds');
      service.pass(hourMs);
    }
    await desk.post('/rollover');
    await desk.post('/rollover/promote', skipping);
    expect(await waitOf('retired')).toBe(mostCached + 300);
  });
});

it('a new algorithm whose DS is not shown yet is not asked for at the parent', async () => {
  desk.say(serves((await desk.status()).ds_records, 3600));
  const { keys } = await service.call('PUT', desk.path, { policy_name: 'ed' });
  const early = { skip_holddown: true };
  const says = `of key ${keys[1].key_tag} of zone '${name}' from ${keys[1].eligible_at} on`;
  await desk.refused('POST', '/rollover/promote', early, 'DNSSEC_DS_NOT_PUBLISHED', says);
  const { ds_records: shown } = await desk.post('/rollover/promote', skipping);
  expect(shown).toMatchObject([{ key_tag: keys[1].key_tag }]);
});

describe('case 105: silence', () => {
  const moved = async (): Promise<void> => {
    const { ds_records: old } = await desk.status();
    desk.say(serves(old, 3600));
    await service.call('PUT', desk.path, { policy_name: 'ed' });
    service.pass(2 * hourMs);
    await runs();
    desk.say(serves((await desk.status()).ds_records, 3600));
    await runs();
    expect(await states()).toBe('retired active');
  };

  it('of one address keeps the last keys of an algorithm, and is named', async () => {
    await moved();
    const { ds_records: fresh } = await desk.status();
    const other = { ...silent, address: 'other:53' };
    desk.say(serves(fresh, 3600), other);
    for (let days = 0; days < 5; days++) {
      service.pass(dayMs);
      await runs();
    }
    const [step] = (await desk.status()).next_steps;
    expect(step.blocked_by).toMatch(/other:53 has not said .* algorithm 13: no answer/);
    desk.say(serves(fresh, 3600), serves(fresh, 3600, 'other:53'));
    await runs();
    expect(await states()).toBe('retired active');
    // Silence takes nothing back, but nothing is removed while it lasts.
    desk.say(serves(fresh, 3600), other);
    service.pass(dayMs);
    await runs();
    expect(await states()).toBe('retired active');
    desk.say(serves(fresh, 3600), serves(fresh, 3600, 'other:53'));
    await runs();
    expect(await states()).toBe('active');
  });

  it('of servers that were named instead is nobody letting go', async () => {
    await moved();
    desk.say(serves((await desk.status()).ds_records, 3600));
    await runs();
    await service.call('PUT', desk.path, { parent_ns_addrs: ['192.0.2.9'] });
    desk.say(silent);
    service.pass(5 * dayMs);
    await runs();
    desk.say(serves((await desk.status()).ds_records, 3600));
    await runs();
    expect(await states()).toBe('retired active');
    service.pass(dayMs);
    await runs();
    expect(await states()).toBe('active');
  });

  it('does not keep a key whose algorithm stays', async () => {
    desk.say(silent);
    await desk.post('/rollover');
    await desk.post('/rollover/promote', skipping);
    service.pass(2 * dayMs);
    await runs();
    expect(await states()).toBe('active');
  });
});

it('a parent that lets go late gives caches their time before a key goes', async () => {
  const { ds_records: old } = await desk.status();
  desk.say(serves(old, 7200));
  await desk.post('/rollover');
  await desk.post('/rollover/promote', skipping);
  const { ds_records: fresh } = await desk.status();
  for (let days = 0; days < 3; days++) {
    service.pass(dayMs);
    await runs();
    expect((await desk.status()).next_steps[0].blocked_by).toMatch(/names no active key/);
  }
  desk.say(serves(fresh, 7200));
  await runs();
  expect(await waitOf('retired')).toBe(7200);
  expect(await states()).toBe('retired active');
  // It goes back to the old DS, says nothing for days, and forth again.
  desk.say(serves(old, 7200));
  service.pass(hourMs);
  await runs();
  desk.say(silent);
  service.pass(5 * dayMs);
  await runs();
  const [step] = (await desk.status()).next_steps;
  expect(step.blocked_by).toMatch(/names no active key when it last answered/);
  desk.say(serves(fresh, 7200));
  await runs();
  expect(await waitOf('retired')).toBe(7200);
  service.pass(2 * hourMs);
  await runs();
  expect(await states()).toBe('active');
});

describe('case 106: a clock that ran ahead and is set right', () => {
  const records = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ name: `h${at}`, type: 'A', value: '192.0.2.1' }));

  it('leaves nothing that one run does not mend, also between two looks', async () => {
    await runs();
    service.pass(monthMs);
    await service.call('POST', '/records/bulk', { zone_name: name, records: records(250) });
    await desk.post('/sign');
    service.pass(-monthMs);
    const ahead = await desk.status();
    expect(ahead).toMatchObject({ expired_signatures: 0, future_signatures: ahead.signatures });
    expect(Date.parse(ahead.next_resign_at)).toBeLessThanOrEqual(service.now());
    expect(ahead.warnings).toEqual([expect.stringMatching(/are not valid yet/)]);
    await runs();
    expect(await desk.status()).toMatchObject({ future_signatures: 0, warnings: [] });
    expect(Date.parse((await desk.status()).next_resign_at)).toBeGreaterThan(service.now());
  });

  it('is counted by the metric as far as a run leaves something', async () => {
    const metric = async () => {
      const text = await (await service.fetch('GET', '/metrics')).text();
      return /^zonebook_dnssec_rrsigs_future_total (\d+)$/m.exec(text)?.[1];
    };
    expect(await metric()).toBe('0');
    service.pass(monthMs);
    await desk.post('/sign');
    service.pass(-monthMs);
    const { signatures } = await desk.status();
    const submit = service.writer.submit.bind(service.writer);
    const failing = vi.spyOn(service.writer, 'submit').mockImplementation((command, options) => {
      if (command.kind === 'sign-zone') return Promise.reject(new Error('it can not be signed'));
      return submit(command, options);
    });
    await runs();
    expect(await metric()).toBe(String(signatures));
    failing.mockRestore();
    await runs();
    expect(await metric()).toBe('0');
  });

  it('lets a roll that began meanwhile go on, with its waits from now', async () => {
    service.pass(monthMs);
    await desk.post('/rollover');
    service.pass(-monthMs);
    await desk.refused('POST', '/rollover/promote', { skip_ds_check: true }, 'INVALID_INPUT');
    await runs();
    const [, published] = (await desk.status()).keys;
    expect(Date.parse(published.created_at)).toBeLessThanOrEqual(service.now());
    expect(await waitOf('published')).toBe(3600 + 300);
    service.pass(2 * hourMs);
    await desk.post('/rollover/promote', { skip_ds_check: true });
    expect(await waitOf('retired')).toBe(86_400 + 300);
    service.pass(2 * dayMs);
    desk.say(silent);
    await runs();
    expect(await states()).toBe('active');
  });

  it('skips no wait of a roll that began before', async () => {
    await desk.post('/rollover');
    service.pass(monthMs);
    await service.call('POST', '/records', { zone_name: name, ...records(1)[0] });
    service.pass(-monthMs);
    // The journal is a month ahead, caches are not.
    await desk.refused('POST', '/rollover/promote', { skip_ds_check: true }, 'INVALID_INPUT');
    service.pass(2 * hourMs);
    await desk.post('/rollover/promote', { skip_ds_check: true });
    expect(await waitOf('retired')).toBe(86_400 + 300);
  });
});

describe('a clock that is behind for a while', () => {
  const twoYearsMs = 730 * dayMs;
  const behind = async (run: () => Promise<unknown>): Promise<void> => {
    service.pass(-twoYearsMs);
    await run();
    service.pass(twoYearsMs);
  };

  it('ends no wait when it is set right', async () => {
    await desk.post('/rollover');
    await behind(runs);
    await desk.refused('POST', '/rollover/promote', { skip_ds_check: true }, 'INVALID_INPUT');
    await runs();
    expect(await waitOf('published')).toBe(3600 + 300);
    service.pass(2 * hourMs);
    await desk.post('/rollover/promote', { skip_ds_check: true });
    service.pass(hourMs);
    await behind(runs);
    await runs();
    expect(await waitOf('retired')).toBe(86_400 + 300);
    // Nothing is left of it: the next run moves no time again.
    service.pass(2 * dayMs);
    await runs();
    expect(await states()).toBe('active');
  });

  it('ends no wait of a roll that began meanwhile', async () => {
    await behind(async () => {
      await runs();
      await desk.post('/rollover');
    });
    await runs();
    expect(await waitOf('published')).toBe(3600 + 300);
  });

  it('begins no roll of a ZSK, promotes none, and says nothing to a parent', async () => {
    const other = await SignedZoneDesk.signed(service, 'split.example', 'split');
    await behind(runs);
    await runs();
    const { keys } = await other.status();
    expect(keys.map(({ state }: { state: string }) => state)).toEqual(['active', 'active']);
    expect(await other.derived('CDS')).toEqual([]);
    await other.post('/rollover', { role: 'zsk' });
    await behind(runs);
    await runs();
    expect((await other.status()).keys.at(-1)).toMatchObject({ role: 'zsk', state: 'published' });
  });

  it('that is set while others are asked takes no step by times of before', async () => {
    const { ds_records: both } = await desk.post('/rollover');
    desk.say(serves(both));
    service.pass(-twoYearsMs);
    service.secondaries = () => {
      service.pass(twoYearsMs);
      service.secondaries = () => [];
      return [];
    };
    await runs();
    expect(await states()).toBe('active published');
  });
});

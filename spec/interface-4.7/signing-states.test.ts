/** Zones listed by how their signing stands, and what the parents of a zone say, which may be deleted. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ParentAnswer } from '../../src/dnssec/parent-ds.ts';
import { InProcessService } from '../support/in-process.ts';
import { foreignDs, SignedZoneDesk, serves } from '../support/signing.ts';

const hour = 3_600_000;
const day = 24 * hour;

let service: InProcessService;
beforeEach(async () => {
  service = new InProcessService();
  const split = { name: 'split', split_keys: true, zsk_lifetime_days: 0 };
  await service.call('POST', '/dnssec-policies', split, 201);
});
afterEach(() => service.close());

const signed = (name: string) => SignedZoneDesk.signed(service, name, 'split');
const run = () => service.signing.scheduler.runOnce();
const listed = async (state: string) =>
  (await service.call('GET', `/zones?signing=${state}`)).items.map(
    ({ name }: { name: string }) => name,
  );

describe('zones by the state of their signing', () => {
  it('are rolling while a key comes or goes', async () => {
    await service.createZone('plain.example');
    await signed('rests.example');
    const desk = await signed('rolls.example');
    expect(await listed('rolling')).toEqual([]);
    await desk.post('/rollover', { role: 'zsk' });
    expect(await listed('rolling')).toEqual(['rolls.example']);
    await desk.post('/rollover/abort', { role: 'zsk' });
    expect(await listed('rolling')).toEqual([]);
  });

  it('are troubled while a parent serves the DS of another, or a step waits for somebody', async () => {
    const desk = await signed('foreign.example');
    const [ds] = (await desk.status()).ds_records;
    const answers = new Map<string, ParentAnswer>([['foreign.example', serves([foreignDs(ds)])]]);
    service.parents = (name) => [answers.get(name) ?? { address: 'a:53', failure: 'no answer' }];
    service.pass(day);
    await run();
    expect(await listed('troubled')).toEqual(['foreign.example']);
    expect(await listed('waiting')).toEqual([]);
    answers.set('foreign.example', serves([ds]));
    service.pass(day);
    await run();
    expect(await listed('troubled')).toEqual([]);

    const waiting = await signed('waits.example');
    await waiting.post('/rollover', { role: 'ksk' });
    service.pass(3 * day);
    await run();
    expect(await listed('troubled')).toEqual(['waits.example']);
    expect(await listed('waiting')).toEqual(['waits.example']);
    // One that is not signed any more waits for nobody.
    await service.call('DELETE', '/zones/waits.example/dnssec?skip_ds_check=true');
    expect(await listed('troubled')).toEqual([]);
    expect(await listed('waiting')).toEqual([]);
  });

  it('need dnssec:read in all zones', async () => {
    await service.close();
    service = new InProcessService({ authenticationRequired: true });
    const secret = await service.tokenOf('reader', [{ actions: ['zone:read'] }]);
    await service.refused('GET', '/zones?signing=rolling', undefined, 'FORBIDDEN', '', secret);
    const asleep = '/zones?signing=sleeping';
    await service.refused('GET', asleep, undefined, 'INVALID_INPUT', 'signing', 'local');
  });
});

describe('the delegation of a zone', () => {
  const name = 'gone.example';

  it('is asked of its parents when it is deleted, and nothing is noted', async () => {
    const desk = await signed(name);
    const { ds_records: records } = await desk.status();
    const { id } = (await service.call('GET', `/zones/${name}`)).zone;
    service.parents = () => [serves(records)];
    const { delegation } = await service.call('GET', `/zones/${name}/delegation`);
    expect(delegation).toMatchObject({ ds_state: 'published', parent_has_name: true });
    await service.call('DELETE', `/zones/${name}`);
    const events = (await service.call('GET', '/events')).pagination?.total;
    const path = `/zones/${name}/delegation?deleted_id=${id}`;
    const then = (await service.call('GET', path)).delegation;
    expect(then).toMatchObject({ ds_state: 'published', parent_has_name: true });
    expect(then.keys.map((key: { ds_published: boolean }) => key.ds_published)).toEqual([true]);
    service.parents = () => [
      serves(records),
      { address: 'b:53', ds: [], ttlSeconds: null, noName: true },
    ];
    expect((await service.call('GET', path)).delegation.parent_has_name).toBe(false);
    service.parents = () => [{ address: 'b:53', failure: 'no answer' }];
    expect((await service.call('GET', path)).delegation).toMatchObject({
      ds_state: 'hidden',
      parent_has_name: null,
      servers: [{ address: 'b:53', ds_key_tags: null, error: 'no answer' }],
    });
    expect((await service.call('GET', '/events')).pagination?.total).toBe(events);
    const other = `/zones/${name}/delegation?deleted_id=${id + 1}`;
    await service.refused('GET', other, undefined, 'ZONE_NOT_FOUND', name);
  });

  it('is being withdrawn when it comes back, where it was when it was deleted', async () => {
    const desk = await signed(name);
    await desk.post('/withdraw');
    await service.call('DELETE', `/zones/${name}`);
    const binned = async () => (await service.call('GET', '/zones?deleted=true')).items[0];
    expect(await binned()).toMatchObject({ name, ds_withdrawing: true });
    await service.call('POST', `/zones/${name}/restore`);
    expect(await desk.status()).toMatchObject({ withdrawing: true });
    await service.call('DELETE', `/zones/${name}/dnssec/withdraw`);
    await service.call('DELETE', `/zones/${name}`);
    expect(await binned()).toMatchObject({ name, ds_withdrawing: false });
  });
});

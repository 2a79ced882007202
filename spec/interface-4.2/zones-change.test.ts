import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;
beforeAll(() => {
  service = new InProcessService();
});
afterAll(() => service.close());
beforeEach(() => void service.changes());

let made = 0;
/** A name no other test uses. */
const fresh = (end = 'example') => `z${++made}.${end}`;

describe('updating a zone', () => {
  it('changes given fields only, one serial step each', async () => {
    const before = await service.createZone(fresh());
    const answer = await service.call('PUT', `/zones/${before.name}`, {
      refresh: 600,
      description: 'x',
    });
    expect(answer).toEqual({
      applied: true,
      dry_run: false,
      unchanged: false,
      warnings: [],
      zone: { ...before, refresh: 600, description: 'x', serial: 2 },
    });
    const cleared = await service.call('PUT', `/zones/${before.name}`, { description: '' });
    expect(cleared.zone).toMatchObject({ description: null, serial: 3 });
    const off = await service.call('PUT', `/zones/${before.name}`, { enabled: false });
    expect(off.zone).toMatchObject({ enabled: false, serial: 4 });
    expect(service.changes().map(({ kind }) => kind)).toEqual([
      'created',
      'changed',
      'changed',
      'disabled',
    ]);
  });

  it('moves nothing when nothing changes', async () => {
    const zone = await service.createZone(fresh(), { description: 'same' });
    const events = service.events();
    service.changes();
    for (const body of [
      {},
      { description: null },
      { description: 'same' },
      { mname: zone.mname.toUpperCase() },
      { name: `${zone.name}.` },
      { serial: zone.serial },
    ]) {
      const answer = await service.call('PUT', `/zones/${zone.name}`, body, 200);
      const said = { applied: true, dry_run: false, unchanged: true };
      expect(answer).toEqual({ ...said, warnings: [], zone });
    }
    expect([service.events(), service.changes()]).toEqual([events, []]);
  });

  it('refuses another serial than the current one', async () => {
    const { name } = await service.createZone(fresh());
    for (const serial of [0, 2, 5]) {
      await service.refused('PUT', `/zones/${name}`, { serial }, 'INVALID_ZONE_FIELD', 'serial');
    }
  });

  it('tells what a dry run would change', async () => {
    const zone = await service.createZone(fresh());
    const answer = await service.call('PUT', `/zones/${zone.name}`, { retry: 61, dry_run: true });
    const said = { applied: false, dry_run: true, unchanged: false };
    expect(answer).toMatchObject({ ...said, zone: { retry: 61 } });
    expect((await service.call('GET', `/zones/${zone.name}`)).zone).toEqual(zone);
  });

  it('checks fields as creation does', async () => {
    const { name } = await service.createZone(fresh());
    for (const body of [
      { default_ttl: 59 },
      { rname: 'x' },
      { mname: '' },
      { name: '*' },
      { description: 'x'.repeat(256) },
    ]) {
      await service.refused(
        'PUT',
        `/zones/${name}`,
        body,
        'INVALID_ZONE_FIELD',
        Object.keys(body)[0],
      );
    }
    await service.refused('PUT', `/zones/${fresh()}`, { retry: 5 }, 'ZONE_NOT_FOUND');
  });
});

describe('renaming a zone', () => {
  it('keeps ids, moves the serial and frees the old name', async () => {
    const zone = await service.createZone(fresh());
    const created = await service.call('POST', '/records', {
      zone_name: zone.name,
      name: 'www',
      type: 'A',
      value: '192.0.2.1',
    });
    const name = fresh();
    const renamed = await service.call('PUT', `/zones/${zone.name}`, { name });
    expect(renamed.zone).toMatchObject({ id: zone.id, name, serial: 3 });
    const { record } = await service.call('GET', `/records/${created.record.id}`);
    expect(record).toMatchObject({ id: created.record.id, name: `www.${name}.`, zone_name: name });
    await service.refused('GET', `/zones/${zone.name}`, undefined, 'ZONE_NOT_FOUND');
    expect(service.changes().at(-1)).toMatchObject({ kind: 'renamed', previousName: zone.name });
  });

  it('refuses taken names and names under which a record gets too long', async () => {
    const zone = await service.createZone(fresh());
    const other = await service.createZone(fresh());
    await service.refused('PUT', `/zones/${zone.name}`, { name: other.name }, 'ZONE_CONFLICT');
    await service.refused(
      'PUT',
      `/zones/${zone.name}`,
      { name: 'catalog.invalid' },
      'ZONE_CONFLICT',
    );
    const fill = 'a'.repeat(63);
    const record = {
      zone_name: zone.name,
      name: `${fill}.${fill}.${fill}`,
      type: 'A',
      value: '192.0.2.1',
    };
    await service.call('POST', '/records', record, 201);
    const long = `${'b'.repeat(60)}.example`;
    await service.refused(
      'PUT',
      `/zones/${zone.name}`,
      { name: long },
      'INVALID_ZONE_FIELD',
      '255',
    );
  });
});

describe('serials', () => {
  it('case 100: never wrap; the last million is for switching off, not for changes', async () => {
    const { name } = await service.createZone(fresh());
    service.forceSerial(name, 2_146_483_646);
    const last = await service.call('PUT', `/zones/${name}`, { retry: 61 });
    expect(last.zone.serial).toBe(2_146_483_647);
    await service.refused('PUT', `/zones/${name}`, { retry: 62 }, 'ZONE_CONFLICT', '2146483647');
    const record = { zone_name: name, name: 'www', type: 'A', value: '192.0.2.1' };
    await service.refused('POST', '/records', record, 'ZONE_CONFLICT');
    const bump = `/zones/${name}/notify?bump_serial=true`;
    await service.refused('POST', bump, undefined, 'ZONE_CONFLICT');
    await service.call('PUT', `/zones/${name}`, { retry: 61 }, 200);
    const off = await service.call('PUT', `/zones/${name}`, { enabled: false });
    expect(off.zone.serial).toBe(2_146_483_648);
    await service.call('DELETE', `/zones/${name}`, undefined, 200);
  });

  it('advance by one per request, also for a bump', async () => {
    const { name } = await service.createZone(fresh());
    await service.call('POST', `/zones/${name}/notify?bump_serial=true`);
    expect(await service.serialOf(name)).toBe(2);
    expect(service.changes().at(-1)).toMatchObject({ kind: 'bumped' });
    await service.call('POST', '/notify/zones', { force: true, zone_name: name });
    expect(await service.serialOf(name)).toBe(3);
    await service.call('POST', `/zones/${name}/notify`);
    expect(await service.serialOf(name)).toBe(3);
    expect(service.notified).toEqual([name, name, name]);
  });

  it('are not bumped for a disabled zone', async () => {
    const { name } = await service.createZone(fresh());
    await service.call('PUT', `/zones/${name}`, { enabled: false });
    await service.refused(
      'POST',
      `/zones/${name}/notify?bump_serial=true`,
      undefined,
      'ZONE_CONFLICT',
    );
    expect(await service.serialOf(name)).toBe(2);
  });
});

describe('deleting a zone', () => {
  it('counts records and versions, first in a dry run', async () => {
    const zone = await service.createZone(fresh());
    await service.call('POST', '/records', {
      zone_name: zone.name,
      name: 'www',
      type: 'A',
      value: '192.0.2.1',
    });
    const dry = await service.call('DELETE', `/zones/${zone.name}?dry_run=true`, undefined, 200);
    expect(dry).toMatchObject({
      applied: false,
      dry_run: true,
      records_deleted: 2,
      versions_deleted: 2,
    });
    expect(await service.serialOf(zone.name)).toBe(2);
    const real = await service.call('DELETE', `/zones/${zone.name}`, undefined, 200);
    expect(real).toEqual({
      applied: true,
      dry_run: false,
      warnings: [],
      records_deleted: 2,
      versions_deleted: 2,
      zone: { ...zone, serial: 2 },
    });
    await service.refused('GET', `/zones/${zone.name}`, undefined, 'ZONE_NOT_FOUND');
    await service.refused('DELETE', `/zones/${zone.name}`, undefined, 'ZONE_NOT_FOUND');
    await service.refused('GET', `/records?zone_name=${zone.name}`, undefined, 'ZONE_NOT_FOUND');
  });
});

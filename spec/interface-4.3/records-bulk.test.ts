import { describe, expect, it } from 'vitest';
import { input, RecordDesk } from '../support/record-desk.ts';

const desk = RecordDesk.open();
const { bulk, brief } = desk;

describe('inserting many records', () => {
  it('adds all in one step, in any order', async () => {
    const answer = await bulk([
      input('child', 'DS', `12345 13 2 ${'AB'.repeat(32)}`),
      input('child', 'NS', 'ns.example.'),
      input('www', 'A', '192.0.2.2', { ttl: 300 }),
      input('www', 'A', '192.0.2.1', { ttl: 300 }),
    ]);
    expect(answer).toMatchObject({ added: 4, applied: true, dry_run: false });
    expect(answer.diff.summary).toEqual({ added: 3, changed: 0, removed: 0 });
    const entries: { name: string; type: string; to: { value: string }[] }[] = answer.diff.entries;
    expect(entries.map(({ name, type }) => `${name.split('.')[0]} ${type}`)).toEqual([
      'child NS',
      'child DS',
      'www A',
    ]);
    expect(entries[2]!.to.map(({ value }) => value)).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(answer.records.map(({ value }: { value: string }) => value)[2]).toBe('192.0.2.2');
    expect(await desk.service.serialOf(desk.zone)).toBe(2);
    expect(desk.service.changes()).toHaveLength(1);
  });

  it('points at what is wrong with a record also when it is the only one', async () => {
    const records = [{ name: 'a..b', type: 'A', value: 'x', ttl: -1 }];
    for (const [path, body] of [
      ['/records/bulk', { zone_name: desk.zone, records }],
      [`/zones/${desk.zone}/records/bulk`, { records }],
    ] as const) {
      const answer = await desk.service.call('POST', path, body, 400);
      expect(answer.error).toMatch(/^records\[0\]\.name: /);
      expect(answer.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
        '/records/0/name',
        '/records/0/value',
        '/records/0/ttl',
      ]);
    }
    const alone = { zone_name: desk.zone, ...records[0] };
    const { errors } = await desk.service.call('POST', '/records', alone, 400);
    expect(errors[0].pointer).toBe('/name');
  });

  it('adds none when one fails, and names it', async () => {
    for (const [bad, code, says] of [
      [input('www', 'A', 'x'), 'INVALID_RECORD_VALUE', 'records[1]'],
      [input('a..b', 'A', '192.0.2.1'), 'INVALID_RECORD_NAME', 'records[1]'],
      [input('ok', 'A', '192.0.2.1'), 'RECORD_CONFLICT', `ok.${desk.zone}.`],
      [input('ok', 'A', '192.0.2.2', { ttl: 5 }), 'RECORD_CONFLICT', 'TTL'],
      [input('ok', 'CNAME', 'x.example.'), 'RECORD_CONFLICT', 'CNAME'],
    ] as const) {
      const body = {
        zone_name: desk.zone,
        records: [input('ok', 'A', '192.0.2.1'), bad],
      };
      await desk.service.refused('POST', '/records/bulk', body, code, says);
    }
    expect(await brief()).toEqual([` NS ns1.${desk.zone}.`]);
    expect(await desk.service.serialOf(desk.zone)).toBe(1);
  });

  it('shows the records of a dry run with id 0', async () => {
    const records = [input('a', 'A', '192.0.2.1'), input('b', 'A', '192.0.2.1')];
    const answer = await bulk(records, { dry_run: true }, 200);
    expect(answer).toMatchObject({ added: 2, applied: false, dry_run: true });
    expect(answer.records.map(({ id }: { id: number }) => id)).toEqual([0, 0]);
    expect(await desk.service.serialOf(desk.zone)).toBe(1);
  });

  it('moves nothing when it is empty', async () => {
    const answer = await bulk([]);
    expect(answer).toMatchObject({ added: 0, applied: true, records: [] });
    expect(await desk.service.serialOf(desk.zone)).toBe(1);
  });

  it('is also served on its earlier path', async () => {
    const records = [input('a', 'A', '192.0.2.1')];
    const path = `/zones/${desk.zone.toUpperCase()}./records/bulk`;
    const answer = await desk.service.call('POST', path, { records }, 201);
    expect(answer.added).toBe(1);
    const twice = { records, zone_name: desk.zone };
    await desk.service.refused('POST', path, twice, 'INVALID_JSON_BODY', "'zone_name'");
    await desk.service.refused(
      'POST',
      '/zones/nowhere.example/records/bulk',
      { records },
      'ZONE_NOT_FOUND',
    );
    await desk.service.refused(
      'POST',
      '/records/bulk',
      { records },
      'INVALID_JSON_BODY',
      "'zone_name'",
    );
  });

  it('takes tens of thousands at once', async () => {
    const records = Array.from({ length: 20_000 }, (_, index) =>
      input(`host-${index}.many`, 'A', `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`),
    );
    const answer = await bulk(records);
    expect(answer.added).toBe(20_000);
    expect(answer.records).toHaveLength(20_000);
    expect(answer.diff.summary.added).toBe(20_000);
    const page = await desk.service.call('GET', `/records?zone_name=${desk.zone}&limit=1`);
    expect(page.pagination.total).toBe(20_001);
    expect(await desk.service.serialOf(desk.zone)).toBe(2);
  });
});

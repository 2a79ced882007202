import { describe, expect, it } from 'vitest';
import { input, RecordDesk } from '../support/record-desk.ts';

const desk = RecordDesk.open();
const { add, bulk, brief } = desk;

describe('deleting records', () => {
  const remove = (query: string) =>
    desk.service.call('DELETE', `/records?zone_name=${desk.zone}${query}`, undefined, 200);

  it('by id shows what was there; ids are never used again', async () => {
    const record = await add('www', 'A', '192.0.2.1');
    const dry = await desk.service.call(
      'DELETE',
      `/records/${record.id}?dry_run=true`,
      undefined,
      200,
    );
    expect(dry).toMatchObject({ applied: false, deleted: 1, dry_run: true, records: [record] });
    const answer = await desk.service.call('DELETE', `/records/${record.id}`, undefined, 200);
    expect(answer).toEqual({
      applied: true,
      deleted: 1,
      dry_run: false,
      warnings: [],
      diff: {
        entries: [
          {
            change: 'removed',
            name: `www.${desk.zone}.`,
            type: 'A',
            from: [{ value: '192.0.2.1', ttl: 3600, priority: null }],
            to: [],
          },
        ],
        summary: { added: 0, changed: 0, removed: 1 },
      },
      records: [record],
    });
    await desk.service.refused('GET', `/records/${record.id}`, undefined, 'RECORD_NOT_FOUND');
    await desk.service.refused('DELETE', `/records/${record.id}`, undefined, 'RECORD_NOT_FOUND');
    expect((await add('www', 'A', '192.0.2.1')).id).toBeGreaterThan(record.id);
  });

  it('by filter narrows as RFC 2136 2.5 does, in one step', async () => {
    await bulk([
      input('www', 'A', '192.0.2.1'),
      input('www', 'A', '192.0.2.2'),
      input('www', 'AAAA', '2001:db8::1'),
      input('www', 'MX', 'm1.example.', { priority: 5 }),
      input('www', 'MX', 'm1.example.'),
      input('www', 'TXT', ['a', 'b']),
      input('below.www', 'A', '192.0.2.1'),
    ]);
    expect((await remove('&name=www&type=AAAA&value=2001:DB8:0::1')).deleted).toBe(1);
    expect((await remove('&name=www&type=MX&priority=5')).deleted).toBe(1);
    const text = await remove(`&name=www&type=TXT&value=${encodeURIComponent('"a" "b"')}`);
    expect(text.deleted).toBe(1);
    expect((await remove(`&name=www.${desk.zone}.&type=a`)).deleted).toBe(2);
    const serial = await desk.service.serialOf(desk.zone);
    desk.service.changes();
    const rest = await remove('&name=WWW');
    expect([rest.deleted, rest.records[0].type]).toEqual([1, 'MX']);
    expect(await desk.service.serialOf(desk.zone)).toBe(serial + 1);
    expect(desk.service.changes()).toHaveLength(1);
    expect(await brief('&name=below.www')).toHaveLength(1);
  });

  it('by a value takes what was stored by it, whatever bytes it has', async () => {
    for (const value of ['\0', 'a\0b', '\n', '\\', 'é', ' ', '']) {
      const record = await add('odd', 'TXT', value);
      const shown = encodeURIComponent(record.value);
      const found = `/records?zone_name=${desk.zone}&name=odd&value=${shown}`;
      expect((await desk.service.call('GET', found)).items).toEqual([record]);
      expect((await remove(`&name=odd&type=TXT&value=${shown}`)).records).toEqual([record]);
    }
  });

  it('by filter that matches nothing moves nothing', async () => {
    const events = desk.service.events();
    const answer = await remove('&name=nothing');
    expect(answer).toEqual({
      applied: true,
      deleted: 0,
      dry_run: false,
      warnings: [],
      diff: { entries: [], summary: { added: 0, changed: 0, removed: 0 } },
      records: [],
    });
    expect(desk.service.events()).toBe(events);
  });

  it('by filter refuses what can not be meant', async () => {
    for (const [query, code] of [
      ['&name=', 'INVALID_RECORD_NAME'],
      ['&name=x.other.org.', 'INVALID_RECORD_NAME'],
      ['&name=www&value=192.0.2.1', 'INVALID_INPUT'],
      ['&name=www&type=A&value=x', 'INVALID_RECORD_VALUE'],
      ['&name=www&type=A&value=a&value=b', 'INVALID_INPUT'],
      ['&name=www&record_type=A', 'INVALID_INPUT'],
      ['&name=www&priority=x', 'INVALID_INPUT'],
    ] as const) {
      await desk.service.refused(
        'DELETE',
        `/records?zone_name=${desk.zone}${query}`,
        undefined,
        code,
      );
    }
    const unknown = '/records?zone_name=nowhere.example&name=www';
    await desk.service.refused('DELETE', unknown, undefined, 'ZONE_NOT_FOUND');
  });
});

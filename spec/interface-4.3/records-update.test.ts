import { describe, expect, it } from 'vitest';
import { RecordDesk } from '../support/record-desk.ts';

const desk = RecordDesk.open();
const { add, rows } = desk;

describe('updating a record', () => {
  it('changes given fields only and keeps the id', async () => {
    const record = await add('www', 'A', '192.0.2.1', { ttl: 300 });
    const answer = await desk.service.call('PUT', `/records/${record.id}`, {
      value: '192.0.2.2',
    });
    expect(answer.record).toEqual({ ...record, value: '192.0.2.2' });
    expect(answer.diff.entries).toEqual([
      {
        change: 'changed',
        name: `www.${desk.zone}.`,
        type: 'A',
        from: [{ value: '192.0.2.1', ttl: 300, priority: null }],
        to: [{ value: '192.0.2.2', ttl: 300, priority: null }],
      },
    ]);
    const moved = await desk.service.call('PUT', `/records/${record.id}`, {
      name: 'web',
    });
    expect(moved.record).toMatchObject({
      id: record.id,
      name: `web.${desk.zone}.`,
      ttl: 300,
    });
    expect(moved.diff.summary).toEqual({ added: 1, changed: 0, removed: 1 });
    expect(await desk.service.serialOf(desk.zone)).toBe(4);
  });

  it('moves nothing when nothing changes', async () => {
    const record = await add('@', 'MX', 'mail.example.net', { ttl: 300 });
    const events = desk.service.events();
    desk.service.changes();
    for (const body of [
      {},
      { value: 'MAIL.example.net.' },
      { priority: 10 },
      { ttl: 300 },
      { name: `${desk.zone}.` },
      { type: 'mx' },
      { name: null, ttl: null },
    ]) {
      const answer = await desk.service.call('PUT', `/records/${record.id}`, body, 200);
      expect(answer).toEqual({
        applied: true,
        dry_run: false,
        warnings: [],
        diff: { entries: [], summary: { added: 0, changed: 0, removed: 0 } },
        record,
      });
    }
    expect([desk.service.events(), desk.service.changes()]).toEqual([events, []]);
  });

  it('moves the TTL of the whole RRset, as one changed entry', async () => {
    const first = await add('www', 'A', '192.0.2.1', { ttl: 300 });
    const second = await add('www', 'A', '192.0.2.2', { ttl: 300 });
    const answer = await desk.service.call('PUT', `/records/${first.id}`, { ttl: 60 });
    expect(answer.diff.summary).toEqual({ added: 0, changed: 1, removed: 0 });
    const { record } = await desk.service.call('GET', `/records/${second.id}`);
    expect(record).toMatchObject({ id: second.id, ttl: 60 });
  });

  it("takes the TTL of the RRset it moves into, or moves that RRset's with ttl", async () => {
    await add('web', 'A', '192.0.2.1', { ttl: 300 });
    const one = await add('one', 'A', '192.0.2.2', { ttl: 60 });
    const two = await add('two', 'A', '192.0.2.3', { ttl: 60 });
    const moved = await desk.service.call('PUT', `/records/${one.id}`, { name: 'web' });
    expect(moved.record.ttl).toBe(300);
    await desk.service.call('PUT', `/records/${two.id}`, { name: 'web', ttl: 90 });
    const ttls = (await rows('&name=web')).map(({ ttl }: { ttl: number }) => ttl);
    expect(ttls).toEqual([90, 90, 90]);
  });

  it('needs a value when the type changes, and settles the priority', async () => {
    const record = await add('@', 'MX', 'mail.example.net', { priority: 30 });
    const path = `/records/${record.id}`;
    await desk.service.refused('PUT', path, { type: 'TXT' }, 'INVALID_RECORD_VALUE', 'value');
    const text = await desk.service.call('PUT', path, { type: 'TXT', value: 'x' });
    expect(text.record).toMatchObject({ id: record.id, type: 'TXT', priority: null });
    const srv = await desk.service.call('PUT', path, {
      type: 'SRV',
      value: '1 2 h.example.',
    });
    expect(srv.record).toMatchObject({ type: 'SRV', priority: 10 });
    const kept = await desk.service.call('PUT', path, { priority: 7 });
    expect(kept.record).toMatchObject({ value: '1 2 h.example.', priority: 7 });
    const value = await desk.service.call('PUT', path, { value: '3 4 h.example.' });
    expect(value.record.priority).toBe(7);
  });

  it('is judged on the final state', async () => {
    const first = await add('a', 'A', '192.0.2.1');
    await add('b', 'A', '192.0.2.1');
    await add('c', 'CNAME', 'x.example.');
    await desk.service.refused('PUT', `/records/${first.id}`, { name: 'b' }, 'RECORD_CONFLICT');
    await desk.service.refused('PUT', `/records/${first.id}`, { name: 'c' }, 'RECORD_CONFLICT');
    await desk.service.refused(
      'PUT',
      `/records/${first.id}`,
      { name: 'x.other.org.' },
      'INVALID_RECORD_NAME',
    );
    await desk.service.call('PUT', `/records/${first.id}`, {
      type: 'CNAME',
      value: 'y.example.',
    });
    await desk.service.refused(
      'PUT',
      '/records/2000000000',
      { ttl: 5 },
      'RECORD_NOT_FOUND',
      '2000000000',
    );
  });

  it('tells what a dry run would change', async () => {
    const record = await add('www', 'A', '192.0.2.1');
    const body = { value: '192.0.2.9', dry_run: true };
    const answer = await desk.service.call('PUT', `/records/${record.id}`, body, 200);
    expect(answer).toMatchObject({ applied: false, dry_run: true, record: { value: '192.0.2.9' } });
    expect((await desk.service.call('GET', `/records/${record.id}`)).record).toEqual(record);
    expect(await desk.service.serialOf(desk.zone)).toBe(2);
  });
});

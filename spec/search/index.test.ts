/** What searches are made of over time: moments, zones that are renamed and purged, large changes, a rebuild. */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

const zone = 'example.com';
const day = 86_400_000;

let service: InProcessService;
beforeEach(async () => {
  service = new InProcessService({}, { days: 1, signerDays: 1 });
  await service.createZone(zone);
});
afterEach(() => service.close());

const add = (name: string, value: string, type = 'A', zone_name = zone) =>
  service.call('POST', '/records', { zone_name, name, type, value }, 201);
const remove = (name: string) => service.call('DELETE', `/records?zone_name=${zone}&name=${name}`);

async function search(query: string) {
  await service.searchIndex.run();
  const { records, deleted } = await service.call('GET', `/search?${query}`);
  // biome-ignore lint/suspicious/noExplicitAny: a test's expectations are the check of the shape.
  const texts = (rows: any[]) => rows.map(({ name, value }) => `${name} ${value}`).sort();
  return { records: texts(records), deleted: texts(deleted) };
}

/** Rows of the tables of the index. */
function rowsOfIndex(): number[] {
  const database = new Sqlite(join(service.folder, 'zonebook.db'), { readonly: true });
  try {
    return ['search_owner', 'search_key', 'search_text_docsize'].map(
      (table) => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number,
    );
  } finally {
    database.close();
  }
}

describe('the index of searches', () => {
  it('tells the records of a moment', async () => {
    await add('www', '192.0.2.1');
    service.pass(day / 4);
    const then = new Date(service.now()).toISOString();
    service.pass(1000);
    await remove('www');
    await add('web', '192.0.2.1');
    expect(await search('q=192.0.2.1')).toEqual({
      records: ['web.example.com. 192.0.2.1'],
      deleted: ['www.example.com. 192.0.2.1'],
    });
    const earlier = { records: ['www.example.com. 192.0.2.1'], deleted: [] };
    expect(await search(`q=192.0.2.1&at=${then}`)).toEqual(earlier);
    expect(await search(`q=www&at=${then}`)).toEqual(earlier);
    expect(await search('q=www&at=2020-01-01T00:00:00Z')).toEqual({ records: [], deleted: [] });
  });

  it('says who removed a record by its event', async () => {
    await add('www', '192.0.2.1');
    await remove('www');
    await service.searchIndex.run();
    const { deleted, complete_to, deleted_from } = await service.call('GET', '/search?q=www');
    const { event } = await service.call('GET', `/events/${deleted[0].until.seq}`);
    expect(event).toMatchObject({ serial: deleted[0].until.serial, at: deleted[0].until.at });
    expect(event.diff.entries[0]).toMatchObject({ change: 'removed', name: 'www.example.com.' });
    expect([complete_to, deleted_from]).toEqual([service.lastEvent()!.seq, 1]);
  });

  it('finds records under the name that their zone has now', async () => {
    await add('www', '192.0.2.1');
    expect(await search('q=www.exam')).toMatchObject({ records: ['www.example.com. 192.0.2.1'] });
    await service.call('PUT', `/zones/${zone}`, { name: 'renamed.test' });
    expect(await search('q=www.renamed')).toMatchObject({
      records: ['www.renamed.test. 192.0.2.1'],
    });
    expect(await search('q=www.exam')).toMatchObject({ records: [] });
  });

  it('has what changes of very many records added and took away', async () => {
    const lines = Array.from(
      { length: 4000 },
      (_, at) => `host-${at} 60 IN A 10.0.${at >> 8}.${at & 255}`,
    );
    const content = `@ 60 IN NS ns1.${zone}.\n${lines.join('\n')}\n`;
    const importing = { content, mode: 'replace' };
    await service.call('POST', `/zones/${zone}/import`, importing);
    expect(await search('q=10.0.0.255')).toMatchObject({
      records: [`host-255.${zone}. 10.0.0.255`],
    });
    await service.call('POST', `/zones/${zone}/import`, {
      ...importing,
      content: content.replace(/host-255 .*\n/, 'other 60 IN A 10.0.0.255\n'),
    });
    expect(await search('q=10.0.0.255')).toEqual({
      records: [`other.${zone}. 10.0.0.255`],
      deleted: [`host-255.${zone}. 10.0.0.255`],
    });
    expect(await search('q=host-255')).toMatchObject({ deleted: [`host-255.${zone}. 10.0.0.255`] });
  });

  it('forgets a zone that is purged, and keeps one that can be brought back', async () => {
    await service.createZone('other.test');
    await add('www', '192.0.2.1');
    await add('www', '192.0.2.1', 'A', 'other.test');
    expect((await search('q=www')).records).toHaveLength(2);
    const before = rowsOfIndex();
    await service.call('DELETE', `/zones/${zone}`);
    expect((await search('q=www')).records).toEqual(['www.other.test. 192.0.2.1']);
    expect((await service.call('GET', '/search?q=example')).zones).toEqual([
      { id: 1, name: zone, deleted: true },
    ]);
    await service.call('POST', `/zones/${zone}/restore`);
    expect((await search('q=www')).records).toHaveLength(2);
    await service.call('DELETE', `/zones/${zone}`);
    await service.call('POST', `/zones/${zone}/purge`);
    await search('q=www');
    const left = rowsOfIndex();
    for (const [index, count] of left.entries()) expect(count).toBeLessThan(before[index]!);
    expect((await search('q=www')).records).toEqual(['www.other.test. 192.0.2.1']);
  });

  it('has nothing of what retention has deleted, and all that is there', async () => {
    await add('text', 'alpha beta', 'TXT');
    await add('text', 'alpha gamma', 'TXT');
    await search('q=alpha');
    const before = rowsOfIndex();
    await add('www', '192.0.2.1');
    await add('text', '192.0.2.2');
    await remove('www');
    const beta = `type=TXT&value=${encodeURIComponent('alpha beta')}`;
    for (const which of ['type=A', beta]) {
      await service.call('DELETE', `/records?zone_name=${zone}&name=text&${which}`);
    }
    expect((await search('q=192.0.2.0/24')).deleted).toHaveLength(2);
    expect(rowsOfIndex()).not.toEqual(before);
    service.pass(2 * day);
    await service.retention.run();
    await expect.poll(() => search('q=192.0.2.0/24')).toEqual({ records: [], deleted: [] });
    // The word that both had has its row, and the word of the one that went has none.
    await expect.poll(rowsOfIndex).toEqual([before[0], before[1]! - 1, before[2]]);
    expect(await search('q=alpha')).toEqual({
      records: [`text.${zone}. alpha gamma`],
      deleted: [],
    });
    expect((await search('q=text')).records).toHaveLength(1);
    await add('www', '192.0.2.1');
    expect((await search('q=192.0.2.1')).records).toHaveLength(1);
  });

  it('has what is there, and nothing that went, where history goes before it has followed it', async () => {
    await add('early', '192.0.2.1');
    await add('early', 'alpha', 'TXT');
    await add('@', 'alpha', 'TXT');
    await add('again', '192.0.2.2');
    await remove('again');
    await add('both', '192.0.2.3');
    await remove('both');
    await add('both', 'alpha', 'TXT');
    expect((await search('q=192.0.2.0/24')).deleted).toHaveLength(2);
    await add('gone', '192.0.2.4');
    await add('kept', '192.0.2.5');
    await add('again', '192.0.2.2');
    await remove('gone');
    await remove('early');
    await service.call('DELETE', `/records?zone_name=${zone}&name=@&type=TXT`);
    await remove('both');
    service.pass(1000);
    const before = new Date(service.now()).toISOString();
    await service.call('POST', `/zones/${zone}/forget-history`, { before });
    await add('later', '192.0.2.6');
    const present = ['again', 'kept', 'later'].map((name) => expect.stringContaining(`${name}.`));
    await expect.poll(() => search('q=192.0.2.0/24')).toEqual({ records: present, deleted: [] });
    expect(await search('q=alpha')).toEqual({ records: [], deleted: [] });
    for (const name of ['early', 'gone', 'both']) {
      expect(await search(`q=${name}`)).toEqual({ records: [], deleted: [] });
    }
    expect((await search('q=kept')).records).toHaveLength(1);
    const { items } = await service.call('GET', '/records?value=192.0.2.5');
    expect(items).toHaveLength(1);
    // The apex, whose name is not looked for, and three owners.
    await expect.poll(rowsOfIndex).toEqual([4, 4, 3]);
  });

  it('is made again where it is empty, with what was removed before', async () => {
    await add('www', '192.0.2.1');
    await add('mail', '192.0.2.2');
    await remove('www');
    const found = await search('q=192.0.2.0/24');
    expect(found.deleted).toHaveLength(1);
    const database = new Sqlite(join(service.folder, 'zonebook.db'));
    database.exec('DELETE FROM search_progress');
    database.close();
    expect(await search('q=192.0.2.0/24')).toEqual(found);
  });

  it('takes a table of texts that is damaged for lost, and is made again', async () => {
    service.mendDamage();
    await add('www', '192.0.2.1');
    const found = await search('q=www');
    const database = new Sqlite(join(service.folder, 'zonebook.db'));
    database.unsafeMode(true);
    database.exec("UPDATE search_text_data SET block = x'ffffffffffffffff'");
    database.close();
    await service.refused(
      'GET',
      '/search?q=www',
      undefined,
      'STORAGE_UNAVAILABLE',
      'index of searches',
    );
    await expect.poll(() => search('q=www').catch(() => undefined)).toEqual(found);
    expect((await service.call('GET', '/health')).status).toBe('healthy');
  });
});

describe('a question', () => {
  it.each([
    ['', "'q'"],
    ['q=', "'q'"],
    ['q=%20', "'q'"],
    ['q=%00', "'q'"],
    [`q=${'x'.repeat(256)}`, "'q'"],
    ['q=www&limit=0', "'limit'"],
    ['q=www&limit=101', "'limit'"],
    ['q=www&at=1', "'at'"],
    ['q=www&cursor=x', "'cursor'"],
  ])('is refused for %s', async (query, named) => {
    await service.refused('GET', `/search?${query}`, undefined, 'INVALID_INPUT', named);
  });

  it('goes on only with its own cursor', async () => {
    for (let at = 0; at < 4; at++) await add(`www-${at}`, `192.0.2.${at}`);
    await service.searchIndex.run();
    const { next_cursor: cursor } = await service.call('GET', '/search?q=www&limit=2');
    const other = `/search?q=web&limit=2&cursor=${cursor}`;
    await service.refused('GET', other, undefined, 'INVALID_INPUT', 'another list');
    const { records, zones, actors } = await service.call(
      'GET',
      `/search?q=www&limit=2&cursor=${cursor}`,
    );
    expect([records.length, zones, actors]).toEqual([2, [], []]);
  });

  it('may hold what the table of names means something by', async () => {
    for (const q of [
      '"',
      '""" OR "',
      'a" NOT "b',
      '***',
      'name:www',
      'NEAR(a b)',
      '\\\\',
      "'';--",
      '%%%',
      '___',
    ]) {
      const found = await service.call('GET', `/search?q=${encodeURIComponent(q)}`);
      expect([q, found.records]).toEqual([q, []]);
    }
  });
});

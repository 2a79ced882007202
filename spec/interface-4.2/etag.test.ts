/** ETag, If-Match and If-None-Match (decisions 12, RFC 9110 13.1). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;
const zoneName = 'tagged.example';
let zoneId = 0;
let recordId = 0;
beforeEach(async () => {
  service = new InProcessService();
  zoneId = (await service.createZone(zoneName)).id;
  const body = { zone_name: zoneName, name: 'www', type: 'A', value: '192.0.2.1' };
  recordId = (await service.call('POST', '/records', body)).record.id;
  // One step more, so that both earlier versions differ from this one.
  await service.call('POST', '/records', { ...body, name: 'later' });
});
afterEach(() => service.close());

async function send(method: string, path: string, header: [string, string], body?: object) {
  const headers: Record<string, string> = { [header[0]]: header[1] };
  const init: RequestInit = { method, headers };
  if (body !== undefined) {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(body);
  }
  const response = await service.request(path, init);
  const text = await response.text();
  return { status: response.status, etag: response.headers.get('etag'), text };
}

const current = async () => `"${zoneId}-${await service.serialOf(zoneName)}"`;

describe('ETag', () => {
  it('is the zone id and serial on reads of a zone, a version and a record', async () => {
    const etagOf = async (path: string) => (await service.fetch('GET', path)).headers.get('etag');
    const tag = await current();
    expect(await etagOf(`/zones/${zoneName}`)).toBe(tag);
    expect(await etagOf(`/records/${recordId}`)).toBe(tag);
    expect(await etagOf(`/zones/${zoneName}/versions/1`)).toBe(`"${zoneId}-1"`);
    expect(await etagOf(`/zones/${zoneName}/snapshots/1`)).toBe(`"${zoneId}-1"`);
    expect(await etagOf('/zones')).toBeNull();
    expect(await etagOf('/records')).toBeNull();
  });

  it('that a client has is answered 304 without a body', async () => {
    const tag = await current();
    const lists = [`"other", ${tag}`, `W/"a,b" ,, \t"W/\", \"" , ${tag},`, `,${tag}`];
    for (const given of [tag, `W/${tag}`, ...lists, '*']) {
      const answer = await send('GET', `/zones/${zoneName}`, ['if-none-match', given]);
      expect(answer).toEqual({ status: 304, etag: tag, text: '' });
    }
    const old = await send('GET', `/zones/${zoneName}`, ['if-none-match', `"${zoneId}-1"`]);
    expect([old.status, old.etag]).toEqual([200, tag]);
    const version = `/zones/${zoneName}/versions/1`;
    expect((await send('GET', version, ['if-none-match', `"${zoneId}-1"`])).status).toBe(304);
    const record = await send('GET', `/records/${recordId}`, ['if-none-match', tag]);
    expect(record.status).toBe(304);
  });
});

describe('If-Match', () => {
  /** Writes, each of which moves the zone when it goes through. */
  const value = () => `192.0.2.${Math.floor(Math.random() * 200) + 10}`;
  let step = 0;
  const writes: Record<string, () => [method: string, path: string, body?: object]> = {
    updateZone: () => ['PUT', `/zones/${zoneName}`, { description: `step ${++step}` }],
    createRecord: () => [
      'POST',
      '/records',
      { zone_name: zoneName, name: `n${++step}`, type: 'A', value: value() },
    ],
    createRecords: () => [
      'POST',
      '/records/bulk',
      { zone_name: zoneName, records: [{ name: `b${++step}`, type: 'A', value: value() }] },
    ],
    createRecordsInZone: () => [
      'POST',
      `/zones/${zoneName}/records/bulk`,
      { records: [{ name: `c${++step}`, type: 'A', value: value() }] },
    ],
    updateRecord: () => ['PUT', `/records/${recordId}`, { ttl: 100 + ++step }],
    importZone: () => [
      'POST',
      `/zones/${zoneName}/import`,
      { content: `i${++step} 60 IN A 192.0.2.1\n` },
    ],
    rollbackVersion: () => ['POST', `/zones/${zoneName}/versions/2/rollback`],
    rollbackZone: () => {
      return ['POST', `/zones/${zoneName}/rollback`, { serial: 1 }];
    },
  };

  it.each(Object.entries(writes))('lets %s through only at that serial', async (_, write) => {
    const [method, path, body] = write();
    const before = await service.serialOf(zoneName);
    for (const wrong of [`"${zoneId}-1"`, `"${zoneId + 1}-${before}"`, '"foreign"']) {
      const refused = await send(method, path, ['if-match', wrong], body);
      expect([refused.status, JSON.parse(refused.text).code]).toEqual([412, 'PRECONDITION_FAILED']);
    }
    const weak = await send(method, path, ['if-match', `W/${await current()}`], body);
    expect(weak.status).toBe(412);
    expect(await service.serialOf(zoneName)).toBe(before);
    const done = await send(method, path, ['if-match', `"x", ${await current()}`], body);
    expect([done.status < 300, done.text]).toEqual([true, expect.any(String)]);
    expect(await service.serialOf(zoneName)).toBe(before + 1);
  });

  it('lets deletions through only at that serial', async () => {
    const www = `/records?zone_name=${zoneName}&name=gone`;
    await service.call('POST', '/records', {
      zone_name: zoneName,
      name: 'gone',
      type: 'A',
      value: '192.0.2.1',
    });
    const stale = ['if-match', `"${zoneId}-1"`] as [string, string];
    expect((await send('DELETE', www, stale)).status).toBe(412);
    expect((await send('DELETE', `/zones/${zoneName}`, stale)).status).toBe(412);
    expect((await send('DELETE', `/zones/${zoneName}?dry_run=true`, stale)).status).toBe(412);
    expect((await send('DELETE', www, ['if-match', await current()])).status).toBe(200);
  });

  it('lets writes of signing through only at that serial, before keys are made and parents asked', async () => {
    const path = `/zones/${zoneName}/dnssec`;
    const parents = { parent_ns_addrs: ['192.0.2.1'] };
    const skip = { skip_ds_check: true, skip_holddown: true };
    let asked = 0;
    service.parents = (_, addresses) => {
      asked++;
      return addresses.map((address) => ({ address, failure: 'nobody' }));
    };
    const writes: [method: string, path: string, body?: object][] = [
      ['POST', path, parents],
      ['POST', `${path}/sign`],
      ['POST', `${path}/withdraw`],
      ['DELETE', `${path}/withdraw`],
      ['POST', `${path}/rollover`],
      ['POST', `${path}/rollover/promote`, skip],
      ['POST', `${path}/rollover/ds-seen`],
      ['PUT', path, { policy_name: 'default', parent_ns_addrs: ['192.0.2.2'] }],
      ['DELETE', `${path}?skip_ds_check=true`],
    ];
    for (const [method, where, body] of writes) {
      const askedBefore = asked;
      const stale = await send(method, where, ['if-match', `"${zoneId}-1"`], body);
      expect([where, stale.status, asked]).toEqual([where, 412, askedBefore]);
      if (where.endsWith('ds-seen')) continue;
      const done = await send(method, where, ['if-match', await current()], body);
      expect([where, done.status < 300, done.text]).toEqual([where, true, expect.any(String)]);
    }
    const unsigned = await send('POST', `${path}/sign`, ['if-match', `"${zoneId}-1"`]);
    expect(unsigned.status).toBe(412);
  });

  it('of * is met by whatever is there', async () => {
    const path = `/zones/${zoneName}`;
    expect((await send('PUT', path, ['if-match', '*'], { description: 'any' })).status).toBe(200);
    const missing = await send('PUT', '/zones/none.example', ['if-match', '*'], {});
    expect(missing.status).toBe(404);
  });

  it('that holds no entity tag is refused', async () => {
    for (const bad of ['x', '"1-2', '1-2', '"a" "b"', ',']) {
      const answer = await send('PUT', `/zones/${zoneName}`, ['if-match', bad], {});
      expect([bad, answer.status, JSON.parse(answer.text).code]).toEqual([
        bad,
        400,
        'INVALID_INPUT',
      ]);
    }
  });

  it('comes after what hides and before the rules', async () => {
    const hidden = await send('PUT', '/zones/none.example', ['if-match', '"1-1"'], {});
    expect(hidden.status).toBe(404);
    const ruled = { refresh: -5 };
    const both = await send('PUT', `/zones/${zoneName}`, ['if-match', '"1-999"'], ruled);
    expect(both.status).toBe(412);
  });

  it('of two writers at once lets one through (case 93)', async () => {
    const tag = await current();
    const write = (name: string) =>
      send('POST', '/records', ['if-match', tag], {
        zone_name: zoneName,
        name,
        type: 'A',
        value: '192.0.2.1',
      });
    const answers = await Promise.all(['p', 'q', 'r'].map(write));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 412, 412]);
  });
});

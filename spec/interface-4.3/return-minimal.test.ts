/** `Prefer: return=minimal` (RFC 7240 4.2) on what may add very many records: interface 4.3 rule 6. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { jsonOf } from '../support/json.ts';

let service: InProcessService;
beforeAll(() => {
  service = new InProcessService();
});
afterAll(() => service.close());

let made = 0;
async function fresh(): Promise<string> {
  const name = `minimal${++made}.example`;
  await service.createZone(name);
  return name;
}

async function post(path: string, body: object, prefer?: string) {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (prefer !== undefined) headers['prefer'] = prefer;
  const response = await service.request(path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const applied = response.headers.get('preference-applied');
  return { status: response.status, applied, body: await jsonOf(response) };
}

const minimal = 'return=minimal';
/** Above what one command makes; such a change is planned by a worker. */
const many = 4000;
const address = (number: number) => `10.1.${number >> 8}.${number & 255}`;
const inputs = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `h${n}`, type: 'A', value: address(n) }));
const fileOf = (count: number) =>
  Array.from({ length: count }, (_, n) => `h${n} 300 IN A ${address(n)}\n`).join('');
const countOf = async (name: string) =>
  (await service.call('GET', `/records?zone_name=${name}&type=A&limit=1`)).pagination.total;

describe.each([3, many])('a bulk of %i records', (count) => {
  it('is answered without diff and records, and all are there', async () => {
    const name = await fresh();
    const body = { zone_name: name, records: inputs(count) };
    expect(await post('/records/bulk', body, minimal)).toEqual({
      status: 201,
      applied: minimal,
      body: { applied: true, added: count, dry_run: false, warnings: [] },
    });
    expect(await countOf(name)).toBe(count);
  });

  it('is answered so on its other path and in a dry run, which adds none', async () => {
    const name = await fresh();
    const body = { records: inputs(count), dry_run: true };
    expect(await post(`/zones/${name}/records/bulk`, body, minimal)).toEqual({
      status: 200,
      applied: minimal,
      body: { applied: false, added: count, dry_run: true, warnings: [] },
    });
    expect(await countOf(name)).toBe(0);
  });

  it('has both without the preference', async () => {
    for (const prefer of [undefined, 'return=representation', 'respond-async', 'minimal']) {
      const body = { zone_name: await fresh(), records: inputs(count) };
      const answer = await post('/records/bulk', body, prefer);
      expect(answer).toMatchObject({ status: 201, applied: null });
      expect(answer.body.records).toHaveLength(count);
      expect(answer.body.diff.summary).toEqual({ added: count, changed: 0, removed: 0 });
    }
  });
});

describe.each(['import', 'imports'])('POST /zones/{name}/%s', (path) => {
  it.each([3, many])('answers a file of %i records without its diff', async (count) => {
    const none = { deleted: 0, updated: 0, unchanged: 0, skipped: 0 };
    // A second one: the worker of the first is free again, although nobody reads the diff.
    for (let turn = 0; turn < 2; turn++) {
      const name = await fresh();
      const answer = await post(`/zones/${name}/${path}`, { content: fileOf(count) }, minimal);
      expect(answer).toEqual({
        status: 200,
        applied: minimal,
        body: {
          applied: true,
          dry_run: false,
          errors: [],
          skipped_records: [],
          summary: { parsed: count, added: count, ...none },
          new_serial: 2,
          warnings: [],
        },
      });
      expect(await countOf(name)).toBe(count);
    }
  });

  it('tells all that is wrong with a file', async () => {
    const name = await fresh();
    const answer = await post(`/zones/${name}/${path}`, { content: 'a 300 IN A x\n' }, minimal);
    expect(answer).toMatchObject({ status: 422, applied: minimal, body: { applied: false } });
    expect(answer.body.errors).toHaveLength(1);
    expect(answer.body).not.toHaveProperty('diff');
  });
});

it('leaves the differences of changes out, of a stale plan too', async () => {
  const names = [await fresh(), await fresh()];
  const set = [{ name: 'a', type: 'A', values: ['192.0.2.1'] }];
  const body = { zones: names.map((name) => ({ name, set })) };
  const dry = await post('/changes', { ...body, dry_run: true }, minimal);
  const zones = names.map((name) => {
    return { name, serial: 2, etag: expect.any(String), warnings: [] };
  });
  const plan_hash = expect.any(String);
  const planned = { applied: false, dry_run: true, plan_hash, zones };
  expect(dry).toEqual({ status: 200, applied: minimal, body: planned });
  const made = await post('/changes', { ...body, plan_hash: dry.body.plan_hash }, minimal);
  expect(made.body).toEqual({ ...planned, applied: true, dry_run: false });
  const stale = await post('/changes', { ...body, plan_hash: dry.body.plan_hash }, minimal);
  expect(stale).toMatchObject({ status: 409, applied: minimal, body: { code: 'PLAN_STALE' } });
  expect(stale.body.zones[0]).not.toHaveProperty('diff');
  const whole = await post('/changes', body);
  expect([whole.applied, whole.body.zones[0].diff.entries]).toEqual([null, []]);
});

it('changes no refusal, and no answer of other routes', async () => {
  const name = await fresh();
  const record = { zone_name: name, name: 'a', type: 'A', value: '192.0.2.1' };
  const refusal = await post('/records/bulk', { ...record, records: [] }, minimal);
  expect(refusal).toMatchObject({
    status: 400,
    applied: null,
    body: { code: 'INVALID_JSON_BODY' },
  });
  const created = await post('/records', record, minimal);
  expect(created).toMatchObject({ status: 201, applied: null });
  expect(created.body.record).toMatchObject({ value: '192.0.2.1' });
});

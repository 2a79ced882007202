/** Import of master files on both paths (interface 4.2.1, decisions 7). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { jsonOf } from '../support/json.ts';

let service: InProcessService;
beforeAll(() => {
  service = new InProcessService();
});
afterAll(() => service.close());
beforeEach(() => void service.changes());

let made = 0;
async function fresh(): Promise<string> {
  const name = `i${++made}.example`;
  await service.createZone(name);
  service.changes();
  return name;
}
const into = (name: string, body: object) =>
  service.call('POST', `/zones/${name}/import`, body, 200);
async function rejected(name: string, body: object) {
  const response = await service.fetch('POST', `/zones/${name}/import`, body);
  expect(response.status).toBe(422);
  return jsonOf(response);
}
const values = async (name: string) =>
  (await service.call('GET', `/records?zone_name=${name}`)).items.map(
    (record: { name: string; type: string; ttl: number; value: string }) =>
      `${record.name.slice(0, -name.length - 1)}${record.type} ${record.ttl} ${record.value}`,
  );
const none = { parsed: 0, added: 0, deleted: 0, updated: 0, unchanged: 0, skipped: 0 };

describe.each(['import', 'imports'])('POST /zones/{name}/%s', (path) => {
  it('adds what is missing, in one step', async () => {
    const name = await fresh();
    const content = 'www 300 IN A 192.0.2.1\nwww 300 IN A 192.0.2.2\nmail 300 IN MX 5 www\n';
    const answer = await service.call('POST', `/zones/${name}/${path}`, { content }, 200);
    expect(answer).toEqual({
      applied: true,
      dry_run: false,
      warnings: [],
      errors: [],
      skipped_records: [],
      summary: { ...none, parsed: 3, added: 3 },
      new_serial: 2,
      diff: {
        entries: [
          {
            change: 'added',
            name: `mail.${name}.`,
            type: 'MX',
            from: [],
            to: [{ value: `www.${name}.`, ttl: 300, priority: 5 }],
          },
          {
            change: 'added',
            name: `www.${name}.`,
            type: 'A',
            from: [],
            to: [
              { value: '192.0.2.1', ttl: 300, priority: null },
              { value: '192.0.2.2', ttl: 300, priority: null },
            ],
          },
        ],
        summary: { added: 2, changed: 0, removed: 0 },
      },
    });
    expect(await service.serialOf(name)).toBe(2);
    expect(service.changes()).toHaveLength(1);
    const again = await service.call('POST', `/zones/${name}/${path}`, { content }, 200);
    expect(again).toMatchObject({ applied: true, summary: { parsed: 3, unchanged: 3 } });
    expect(again.diff.entries).toEqual([]);
    expect(await service.serialOf(name)).toBe(2);
  });

  it('applies nothing when a line is bad, and names every bad line', async () => {
    const name = await fresh();
    const content =
      'good 60 IN A 192.0.2.1\nbad 60 IN A 300.1.1.1\n$INCLUDE x\nlate 1h IN A 192.0.2.1\n';
    const body = { content, dry_run: path === 'imports' };
    const response = await service.fetch('POST', `/zones/${name}/${path}`, body);
    expect(response.status).toBe(422);
    const report = await jsonOf(response);
    expect(report).toMatchObject({ applied: false, dry_run: path === 'imports' });
    expect(report.diff).toEqual({ entries: [], summary: { added: 0, changed: 0, removed: 0 } });
    expect(report.errors).toEqual([
      expect.stringMatching(/^line 2: /),
      expect.stringMatching(/^line 3: .*\$INCLUDE/),
      expect.stringMatching(/^line 4: /),
    ]);
    expect(await service.serialOf(name)).toBe(1);
  });
});

it('upsert makes the RRsets of the file equal to it, replace the whole zone', async () => {
  const name = await fresh();
  await into(name, { content: 'a 60 IN A 192.0.2.1\na 60 IN A 192.0.2.2\nb 60 IN A 192.0.2.3\n' });
  const upsert = await into(name, { content: 'a 90 IN A 192.0.2.1\n', mode: 'upsert' });
  expect(upsert.summary).toEqual({ ...none, parsed: 1, deleted: 1, updated: 1 });
  expect(await values(name)).toEqual([
    `NS 3600 ns1.${name}.`,
    'a.A 90 192.0.2.1',
    'b.A 60 192.0.2.3',
  ]);
  const content = '@ 60 IN NS ns2.example.\nb 60 IN A 192.0.2.3\n';
  const replace = await into(name, { content, mode: 'replace' });
  expect(replace.summary).toEqual({ ...none, parsed: 2, added: 1, deleted: 2, unchanged: 1 });
  expect(await values(name)).toEqual(['NS 60 ns2.example.', 'b.A 60 192.0.2.3']);
  expect(replace.diff.summary).toEqual({ added: 0, changed: 1, removed: 1 });
});

it('a dry run says the same and changes nothing', async () => {
  const name = await fresh();
  const events = service.events();
  const content = '@ 60 IN NS ns2.example.\na 60 IN A 192.0.2.1\n';
  const body = { content, mode: 'replace', dry_run: true };
  const answer = await into(name, body);
  expect(answer).toMatchObject({ applied: false, dry_run: true });
  expect(answer.summary).toEqual({ ...none, parsed: 2, added: 2, deleted: 1 });
  expect(service.events()).toBe(events);
});

const soa = '@ 3600 IN SOA ns1.other.example. hostmaster.other.example. 77 1000 200 90000 600\n';

describe('create', () => {
  it("makes the zone from the file's SOA", async () => {
    const name = `made${++made}.example`;
    const content = `$TTL 1800\n${soa}@ IN NS ns1.other.example.\nwww IN A 192.0.2.1\n`;
    const answer = await into(name, { content, create: true });
    expect(answer.summary).toEqual({ ...none, parsed: 2, added: 2 });
    const { zone } = await service.call('GET', `/zones/${name}`);
    expect(zone).toMatchObject({
      mname: 'ns1.other.example',
      rname: 'hostmaster@other.example',
      serial: 77,
      default_ttl: 1800,
      refresh: 1000,
      retry: 200,
      expire: 90_000,
      minimum_ttl: 600,
    });
  });

  it.each(['import', 'imports'])(
    'takes values in place of those of the SOA, by /%s',
    async (path) => {
      const name = `given${++made}.example`;
      const given = {
        serial: 5,
        mname: 'ns9.other.example',
        rname: 'ops@other.example',
        minimum_ttl: 60,
        refresh: 61,
        retry: 62,
        expire: 63,
      };
      const odd = '@ IN SOA . . 4294967295 0 0 0 0\n';
      const body = { content: `${odd}@ IN NS ns9.other.example.\n`, create: true };
      const import_ = `/zones/${name}/${path}`;
      const refused = await service.fetch('POST', import_, body);
      expect([refused.status, (await jsonOf(refused)).errors]).toEqual([
        422,
        [
          "line 1: SOA mname: '.' is not a host name of letters, digits, hyphen and underscore; give mname",
          "line 1: SOA rname: '.' is not an e-mail address with one @; give rname",
          'line 1: SOA serial: 4294967295 is outside 1..2137483647; give serial',
          'line 1: SOA minimum_ttl: 0 is outside 1..2147483647; give minimum_ttl',
          'line 1: SOA refresh: 0 is outside 1..2147483647; give refresh',
          'line 1: SOA retry: 0 is outside 1..2147483647; give retry',
          'line 1: SOA expire: 0 is outside 1..2147483647; give expire',
        ],
      ]);
      await service.call('POST', import_, { ...body, ...given, dry_run: true }, 200);
      await service.refused('GET', `/zones/${name}`, undefined, 'ZONE_NOT_FOUND');
      await service.call('POST', import_, { ...body, ...given }, 200);
      expect((await service.call('GET', `/zones/${name}`)).zone).toMatchObject(given);
      // The zone exists now, and says so before anything is read or fetched.
      const says = `zone '${name}' exists and keeps its SOA: leave out mname, retry`;
      const again = { from_server: '127.0.0.1:1', create: true, mname: 'ns1.example', retry: 1 };
      await service.refused('POST', import_, again, 'ZONE_CONFLICT', says);
      await service.call('POST', import_, { ...body, mname: null, serial: null }, 200);
    },
  );

  it('refuses such values that no zone can be created with, or without create', async () => {
    const path = `/zones/given${++made}.example/import`;
    const body = { from_server: '127.0.0.1:1', create: true };
    const wrong: [field: string, value: unknown, says: string][] = [
      ['serial', 0, '1..2137483647'],
      ['serial', 2_137_483_648, '1..2137483647'],
      ['mname', '.', 'host name'],
      ['rname', 'hostmaster.example.com', 'one @'],
      ['minimum_ttl', 0, '1..2147483647'],
      ['refresh', 2 ** 31, '1..2147483647'],
      ['retry', -1, '1..2147483647'],
      ['expire', 0, '1..2147483647'],
    ];
    for (const [field, value, says] of wrong) {
      const given = { ...body, [field]: value };
      await service.refused('POST', path, given, 'INVALID_ZONE_FIELD', says);
      const soaOf = { mname: 'ns1.example', rname: 'h@example' };
      const made_ = { name: 'given.example', ...soaOf, [field]: value };
      await service.refused('POST', '/zones', made_, 'INVALID_ZONE_FIELD', says);
    }
    for (const [field, value] of wrong) {
      for (const create of [undefined, null, false]) {
        const given = { ...body, create, [field]: value };
        const says = `'${field}' is taken with create=true only`;
        await service.refused('POST', path, given, 'INVALID_INPUT', says);
      }
    }
    await service.refused('POST', path, { ...body, serial: '5' }, 'INVALID_JSON_BODY', 'serial');
    const unknown = { ...body, default_ttl: 60 };
    await service.refused('POST', path, unknown, 'INVALID_JSON_BODY', 'default_ttl');
  });

  it('leaves the settings of a zone that exists', async () => {
    const name = await fresh();
    await into(name, { content: `${soa}www 60 IN A 192.0.2.1\n`, create: true });
    expect((await service.call('GET', `/zones/${name}`)).zone).toMatchObject({
      mname: `ns1.${name}`,
      serial: 2,
    });
  });

  it('refuses serials above 2147483647 in a line (case 91), and files without SOA', async () => {
    const name = `high${++made}.example`;
    const content = soa.replace(' 77 ', ' 2147483648 ');
    const { errors } = await rejected(name, { content, create: true });
    expect(errors).toEqual([expect.stringMatching(/^line 1: .*serial/)]);
    await service.refused('GET', `/zones/${name}`, undefined, 'ZONE_NOT_FOUND');
    const bare = { content: 'www 60 IN A 192.0.2.1\n', create: true };
    await service.refused('POST', `/zones/${name}/import`, bare, 'INVALID_INPUT', 'SOA');
    const missing = { content: 'www 60 IN A 192.0.2.1\n' };
    await service.refused('POST', `/zones/${name}/import`, missing, 'ZONE_NOT_FOUND', name);
  });

  it('of a file with errors leaves a zone of that name alone (case 92)', async () => {
    const name = await fresh();
    await into(name, { content: 'www 60 IN A 192.0.2.1\n' });
    const before = await values(name);
    await rejected(name, { content: `${soa}nonsense\n`, create: true, mode: 'replace' });
    expect(await values(name)).toEqual(before);
  });
});

it('passes over unsupported types when asked, and lists them', async () => {
  const name = await fresh();
  const content = 'a 60 IN A 192.0.2.1\n@ 60 IN NSEC a A\n';
  const { errors } = await rejected(name, { content: `${content}b 60 IN NSEC a A\n` });
  expect(errors).toEqual([
    'line 2: type NSEC is not stored; give skip_unsupported',
    'line 3: type NSEC is not stored',
  ]);
  const answer = await into(name, { content, skip_unsupported: true });
  expect(answer.summary).toEqual({ ...none, parsed: 1, added: 1, skipped: 1 });
  expect(answer.skipped_records).toEqual([expect.stringMatching(/^line 2: .*NSEC/)]);
});

it('needs either content or from_server, and known modes', async () => {
  const name = await fresh();
  const refused = (body: object, code: string, says: string) =>
    service.refused('POST', `/zones/${name}/import`, body, code, says);
  await refused({}, 'INVALID_INPUT', 'not both');
  await refused({ content: null }, 'INVALID_INPUT', 'not both');
  await refused({ content: '', from_server: '192.0.2.1' }, 'INVALID_INPUT', 'not both');
  await refused({ content: '', tsig_key_name: 'k' }, 'INVALID_INPUT', 'from_server');
  await refused({ content: '', mode: 'merge' }, 'INVALID_JSON_BODY', "'mode'");
  await refused({ from_server: 'a b c' }, 'INVALID_INPUT', 'from_server');
  await refused({ from_server: '127.0.0.1:1' }, 'INVALID_INPUT', '127.0.0.1:1');
});

it('checks rights before any transfer is fetched', async () => {
  const guarded = new InProcessService({ authenticationRequired: true });
  await guarded.createZone('right.example');
  const grant = { zone_name: 'right.example', actions: ['record:create'] };
  const secret = await guarded.tokenOf('appender', [grant]);
  const body = { from_server: '127.0.0.1:1' };
  const path = '/zones/right.example/import';
  await guarded.refused('POST', path, body, 'INVALID_INPUT', '127.0.0.1', secret);
  for (const more of [{ mode: 'upsert' }, { mode: 'replace' }]) {
    const asked = { ...body, ...more };
    await guarded.refused('POST', path, asked, 'FORBIDDEN', 'record:delete', secret);
  }
  const creating = { ...body, create: true };
  await guarded.refused('POST', path, creating, 'FORBIDDEN', 'zone:create', secret);
  const hidden = '/zones/hidden.example/import';
  await guarded.refused('POST', hidden, body, 'ZONE_NOT_FOUND', '', secret);
  await guarded.close();
});

it('takes a body of some MB, parsed and imported aside', async () => {
  const name = await fresh();
  const lines = Array.from({ length: 60_000 }, (_, index) => `host${index} 60 IN A 192.0.2.1`);
  const answer = await into(name, { content: `${lines.join('\n')}\n` });
  expect(answer.summary).toEqual({ ...none, parsed: 60_000, added: 60_000 });
  expect(answer.diff.entries).toHaveLength(60_000);
  expect(answer.diff.summary).toEqual({ added: 60_000, changed: 0, removed: 0 });
  expect(await service.serialOf(name)).toBe(2);
  const { zone } = await service.call('GET', `/zones/${name}`);
  const page = await service.call('GET', `/records?zone_name=${zone.name}&limit=1`);
  expect(page.pagination.total).toBe(60_001);
});

it('takes values in place of those of the SOA beside a large file too', async () => {
  const name = `vast${++made}.example`;
  const hosts = Array.from({ length: 60_000 }, (_, index) => `host${index} 60 IN A 192.0.2.1`);
  const content = ['@ 60 IN SOA . . 0 0 1 1 1', '@ 60 IN NS ns1', ...hosts, ''].join('\n');
  const body = { mname: 'ns1.example', content, create: true, rname: 'h@example' };
  expect((await rejected(name, body)).errors).toEqual([
    'line 1: SOA refresh: 0 is outside 1..2147483647; give refresh',
  ]);
  await into(name, { ...body, refresh: 7 });
  expect((await service.call('GET', `/zones/${name}`)).zone).toMatchObject({
    serial: 1,
    mname: 'ns1.example',
    rname: 'h@example',
    refresh: 7,
  });
});

it('refuses a body above the limit', async () => {
  const small = new InProcessService({ maxImportBytes: 100 });
  await small.createZone('small.example');
  const body = { content: 'x'.repeat(200) };
  await small.refused('POST', '/zones/small.example/import', body, 'PAYLOAD_TOO_LARGE', '100');
  await small.close();
});

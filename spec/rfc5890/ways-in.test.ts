/**
 * Names with characters beyond ASCII (RFC 5890): wherever a name is written in text it is refused, with
 * the A-labels to write. Strings take what they like.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { jsonOf } from '../support/json.ts';

const zone = 'ways.example';
const typed = 'bücher';
const label = 'xn--bcher-kva';

let service: InProcessService;
let id: number;
beforeAll(async () => {
  service = new InProcessService();
  await service.createZone(zone);
  await service.call('POST', '/roles', { name: 'r' }, 201, 'local');
  const first = { zone_name: zone, name: 'first', type: 'CNAME', value: 'x.example.' };
  id = (await service.call('POST', '/records', first)).record.id;
});
afterAll(() => service.close());

const rule = (name: string) => `has characters beyond ASCII; write it as '${name}'`;

async function refused(method: string, path: string, body: unknown, code: string, name: string) {
  const events = service.events();
  await service.refused(method, path, body, code, rule(name));
  expect(service.events()).toBe(events);
}

describe('a record', () => {
  const record = { zone_name: zone, name: 'a', type: 'A', value: '192.0.2.1' };

  it.each([
    [typed, label],
    ['BÜCHER', label],
    [`*.${typed}`, `*.${label}`],
    [`_dmarc.${typed}.${zone}.`, `_dmarc.${label}.${zone}.`],
    ['faß', 'xn--fa-hia'],
    ['ｗｗｗ', 'www'],
  ])('has no owner %s', async (name, ascii) => {
    await refused('POST', '/records', { ...record, name }, 'INVALID_RECORD_NAME', ascii);
    await refused('PUT', `/records/${id}`, { name }, 'INVALID_RECORD_NAME', ascii);
    const path = `/records?zone_name=${zone}&name=${encodeURIComponent(name)}`;
    await refused('DELETE', path, undefined, 'INVALID_RECORD_NAME', ascii);
    await refused('GET', path, undefined, 'INVALID_RECORD_NAME', ascii);
    const anywhere = `/records?name=${encodeURIComponent(name)}`;
    await refused('GET', anywhere, undefined, 'INVALID_RECORD_NAME', ascii);
  });

  it.each([
    ['CNAME', typed, label],
    ['NS', `ns.${typed}.`, `ns.${label}.`],
    ['PTR', typed, label],
    ['DNAME', typed, label],
    ['MX', `mail.${typed}`, `mail.${label}`],
    ['SRV', `1 443 ${typed}`, label],
    ['SVCB', `1 ${typed}. alpn=h2`, `${label}.`],
    ['NAPTR', `1 1 u E2U+sip "" ${typed}.`, `${label}.`],
  ])('%s has no target %s', async (type, value, ascii) => {
    const body = { ...record, name: 'target', type, value };
    await refused('POST', '/records', body, 'INVALID_RECORD_VALUE', ascii);
    const change = { type, value };
    await refused('PUT', `/records/${id}`, change, 'INVALID_RECORD_VALUE', ascii);
  });

  it('that is no internationalised name is refused without a form to write', async () => {
    for (const name of ['_ü', 'a\\ü', 'ü%41', '-ü']) {
      const body = { ...record, name };
      const says = 'has characters beyond ASCII; bytes above 127 are written \\DDD';
      await service.refused('POST', '/records', body, 'INVALID_RECORD_NAME', says);
    }
  });

  it.each([2, 4000])('among %i of a bulk refuses all of them', async (count) => {
    const records = Array.from({ length: count }, (_, index) => ({
      name: `h${index}`,
      type: 'A',
      value: '192.0.2.1',
    }));
    records[count - 1]!.name = typed;
    const body = { zone_name: zone, records };
    await refused('POST', '/records/bulk', body, 'INVALID_RECORD_NAME', label);
    records[count - 1] = { name: 'last', type: 'MX', value: `mail.${typed}` };
    await refused('POST', '/records/bulk', body, 'INVALID_RECORD_VALUE', `mail.${label}`);
  });

  it('may hold any characters in strings, and bytes that are escaped in names', async () => {
    const text = { ...record, name: 'text', type: 'TXT', value: 'größer' };
    expect((await service.call('POST', '/records', text)).record.value).toBe('größer');
    const bytes = { ...record, name: 'x\\195\\188' };
    expect((await service.call('POST', '/records', bytes)).record.name).toBe(
      `x\\195\\188.${zone}.`,
    );
  });
});

describe('a file', () => {
  it.each(['append', 'upsert', 'replace'])('of mode %s', async (mode) => {
    for (const count of [1, 4000]) {
      const hosts = Array.from({ length: count }, (_, index) => `h${index} 60 IN A 192.0.2.1\n`);
      const content = `${hosts.join('')}${typed} 60 IN A 192.0.2.1\nc CNAME ${typed}\n`;
      const response = await service.fetch('POST', `/zones/${zone}/import`, { content, mode });
      expect([response.status, (await jsonOf(response)).errors]).toEqual([
        422,
        [
          `line ${count + 1}: owner '${typed}' ${rule(label)}`,
          `line ${count + 2}: CNAME target '${typed}' ${rule(label)}`,
        ],
      ]);
    }
  });

  it('keeps the strings as they are', async () => {
    const content = 't2 60 IN TXT "größer" größer\nt3 60 TXT "größer"\n';
    await service.call('POST', `/zones/${zone}/import`, { content }, 200);
    const { items } = await service.call('GET', `/records?zone_name=${zone}&name=t2`);
    expect(items.map(({ value }: { value: unknown }) => value)).toEqual([['größer', 'größer']]);
    const one = await service.call('GET', `/records?zone_name=${zone}&name=t3`);
    expect(one.items[0].value).toBe('größer');
  });
});

describe('a zone', () => {
  const soa = { name: 'z.example', mname: 'ns1.example', rname: 'h@example' };

  it.each([
    ['name', `${typed}.example.`, `${label}.example`],
    ['mname', `ns1.${typed}.`, `ns1.${label}`],
    ['rname', `h@${typed}`, label],
  ])('has no %s %s', async (field, name, ascii) => {
    await refused('POST', '/zones', { ...soa, [field]: name }, 'INVALID_ZONE_FIELD', ascii);
    await refused('PUT', `/zones/${zone}`, { [field]: name }, 'INVALID_ZONE_FIELD', ascii);
    if (field === 'name') return;
    const body = { content: '', create: true, [field]: name };
    await refused('POST', '/zones/new.example/import', body, 'INVALID_ZONE_FIELD', ascii);
  });

  it('is not found, and the refusal says by which name it would be', async () => {
    const path = `/zones/${encodeURIComponent(`${typed}.example`)}`;
    const says = `zone '${typed}.example' does not exist; write it as '${label}.example'`;
    await service.refused('GET', path, undefined, 'ZONE_NOT_FOUND', says);
    await service.refused('PUT', path, { refresh: 5 }, 'ZONE_NOT_FOUND', says);
    await service.refused('POST', `${path}/import`, { content: '' }, 'ZONE_NOT_FOUND', says);
    const grant = { actions: ['record:read'], zone_name: `${typed}.example` };
    await service.refused('POST', '/roles/r/grants', grant, 'ZONE_NOT_FOUND', says);
  });

  it('is not made by an import', async () => {
    const path = `/zones/${encodeURIComponent(`${typed}.example`)}/import`;
    const body = { content: 'a A 192.0.2.1\n', create: true };
    await refused('POST', path, body, 'INVALID_ZONE_FIELD', `${label}.example`);
  });
});

it('a server, a key, a pattern and an endpoint', async () => {
  const server = `ns.${typed}.example`;
  const ascii = `ns.${label}.example`;
  const input = 'INVALID_INPUT';
  await refused('POST', '/secondaries', { name: 's', address: `${server}:53` }, input, ascii);
  await refused('POST', `/zones/${zone}/import`, { from_server: server }, input, ascii);
  const parents = { parent_ns_addrs: [server] };
  await refused('POST', `/zones/${zone}/dnssec`, parents, input, ascii);
  await refused('POST', '/tsig-keys', { name: typed, role_name: 'r' }, input, label);
  const pattern = { actions: ['record:read'], record_name_pattern: `*.${typed}` };
  await refused('POST', '/roles/r/grants', pattern, input, label);
  // The Kelvin sign is no k.
  const kelvin = { name: 's', address: 'ns.\u212a.example' };
  await refused('POST', '/secondaries', kelvin, input, 'ns.k.example');
  const endpoint = { name: `${typed}.${zone}`, type: 'A', values: ['192.0.2.1'] };
  const changes = { creates: [endpoint] };
  const dns = '/external-dns/changes';
  await refused('POST', dns, changes, 'INVALID_RECORD_NAME', `${label}.${zone}`);
  const target = { ...endpoint, name: `c.${zone}`, type: 'CNAME', values: [`${typed}.example`] };
  await refused('POST', dns, { creates: [target] }, 'INVALID_RECORD_VALUE', `${label}.example`);
});

/**
 * Records of types that an older version stored, and that none may come in with any more: they are found and deleted
 * as others are, and imported again where they are.
 */
import { beforeEach, afterEach, expect, it } from 'vitest';
import { parseType } from '../../src/dns/rrtype.ts';
import { CannedPrimary, type CannedRecord } from '../support/canned-primary.ts';
import { InProcessService } from '../support/in-process.ts';
import { asOlderVersion } from '../support/older-types.ts';

const zone = 'older.example';
const path = `/zones/${zone}`;
const older = [
  ['MD', 'a.example.'],
  ['TYPE10', '\\# 3 016100'],
] as const;
const obsolete = 'it is obsolete since MX (RFC 973), and BIND reads no file that has one';
const unread = 'Knot writes it into its file of the zone, and then does not read that file';

let service: InProcessService;
beforeEach(async () => {
  service = new InProcessService();
  await service.createZone(zone);
  await asOlderVersion(async () => {
    for (const [type, value] of [...older, ['A', '192.0.2.1']] as const) {
      await service.call('POST', '/records', { zone_name: zone, name: 'x', type, value, ttl: 60 });
    }
  });
});
afterEach(() => service.close());

async function importing(body: object) {
  const response = await service.fetch('POST', `${path}/import`, body);
  const answer = (await response.json()) as Record<string, unknown>;
  return { status: response.status, ...answer };
}

const exported = async () => (await service.fetch('GET', `${path}/export`)).text();
const hosts = (count: number) =>
  Array.from({ length: count }, (_, at) => `h${at} 60 IN A 192.0.2.1\n`).join('');

async function typesAt(name: string): Promise<string[]> {
  const { items } = await service.call('GET', `/records?zone_name=${zone}&name=${name}`);
  return items.map(({ type }: { type: string }) => type).sort();
}

it('are found by their type', async () => {
  for (const [type] of older) {
    const { items } = await service.call('GET', `/records?zone_name=${zone}&type=${type}`);
    expect(items).toHaveLength(1);
    const events = await service.call('GET', `/events?zone=${zone}&type=${type}`);
    expect(events.items).toHaveLength(1);
  }
  await service.refused('GET', '/records?type=ZONEMD', undefined, 'INVALID_INPUT', 'no record');
});

it('are deleted by their type, and protected by it', async () => {
  const guardDefaults = { maxDeletePercent: 30, maxDeletes: 1000, minRecords: 20 };
  service.writer.configure({ guardDefaults });
  const guard = { protect: older.map(([type]) => ({ name: 'x', type })) };
  await service.call('PUT', path, { guard });
  const one = `/records?zone_name=${zone}&name=x&type=MD`;
  await service.refused('DELETE', one, undefined, 'GUARDED');
  await service.call('PUT', path, { guard: {} });
  const { items } = await service.call('GET', one);
  const body = { type: 'MD', value: 'a.example.', ttl: 90 };
  expect(await service.call('PUT', `/records/${items[0].id}`, body)).toMatchObject({
    record: { ttl: 90 },
  });
  const other = { ...body, value: 'b.example.' };
  const refused = ['INVALID_RECORD_VALUE', obsolete] as const;
  await service.refused('PUT', `/records/${items[0].id}`, other, ...refused);
  await service.refused('POST', '/records', { ...body, zone_name: zone, name: 'y' }, ...refused);
  expect(await service.call('DELETE', `${one}&value=a.example.`)).toMatchObject({ deleted: 1 });
  const gone = [{ name: 'x', type: 'TYPE10' }];
  await service.call('POST', '/changes', { zones: [{ name: zone, delete: gone }] });
  expect(await typesAt('x')).toEqual(['A']);
  const serial = (await service.serialOf(zone)) - 2;
  const back = `${path}/versions/${serial}/rollback`;
  await service.refused('POST', back, { types: ['MD'] }, 'RECORD_CONFLICT', obsolete);
});

it.each([0, 3001])('are imported again where they are, beside %d others', async (count) => {
  await importing({ content: hosts(count) || 'h0 60 A 192.0.2.1\n' });
  const content = await exported();
  for (const mode of ['append', 'upsert', 'replace']) {
    const answer = await importing({ content, mode });
    expect(answer, mode).toMatchObject({
      status: 200,
      summary: { added: 0, deleted: 0, updated: 0, unchanged: Math.max(count, 1) + 4 },
    });
  }
  expect(await typesAt('x')).toEqual(['A', 'MD', 'TYPE10']);
  const { diff } = await service.call('POST', `${path}/diff`, { content: `${content}y MD a.\n` });
  expect(diff.entries).toEqual([]);
});

it.each([0, 3001])('come in nowhere else, beside %d others', async (count) => {
  const lines = ['x 60 MD a.example.\n', 'x 60 MD b.example.\n', 'y 60 NULL \\# 3 016100\n'];
  const content = `${lines.join('')}z 60 MF a. b.\n`;
  const alone = await importing({ content: content + hosts(count) });
  expect(alone).toMatchObject({
    status: 422,
    errors: [`line 4: type MF is not stored: ${obsolete}; give skip_unsupported`],
  });
  expect(await importing({ content: lines.join('') + hosts(count) })).toMatchObject({
    status: 422,
    errors: [
      `line 2: type MD is not stored: ${obsolete}; give skip_unsupported`,
      `line 3: type TYPE10 is not stored: ${unread}`,
    ],
  });
  const skipping = await importing({ content: content + hosts(count), skip_unsupported: true });
  expect(skipping).toMatchObject({ status: 200, summary: { added: count, skipped: 4 } });
  expect(await typesAt('x')).toEqual(['A', 'MD', 'TYPE10']);
});

it('are taken from a server where they are, and nowhere else', async () => {
  await using primary = await CannedPrimary.start();
  const record = (name: string, type: string, hex: string): CannedRecord => {
    const rdata = Buffer.from(hex.replaceAll(' ', ''), 'hex');
    return { owner: `${name}.`, type: parseType(type)!, ttl: 60, rdata };
  };
  const soa = `${'00'.repeat(2)}${'00000001'.repeat(5)}`;
  const stored = [
    record(zone, 'SOA', soa),
    record(`x.${zone}`, 'MD', '0161 076578616d706c65 00'),
    record(`x.${zone}`, 'TYPE10', '016100'),
  ];
  primary.hold(zone, stored);
  const from = { from_server: primary.address };
  expect(await importing(from)).toMatchObject({ status: 200, summary: { unchanged: 2 } });
  primary.hold(zone, [...stored, record(`y.${zone}`, 'MD', '00')]);
  expect(await importing(from)).toMatchObject({
    status: 422,
    errors: [`y MD is not stored: ${obsolete}; give skip_unsupported`],
  });
  expect(await importing({ ...from, skip_unsupported: true })).toMatchObject({
    status: 200,
    summary: { added: 0, skipped: 3 },
    skipped_records: expect.arrayContaining([`y MD is not stored: ${obsolete}`]),
  });
});

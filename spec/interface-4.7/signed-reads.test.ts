/** Lists, exports, versions and diffs of signed zones: derived records only where they are asked for. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

const zone = 'signed.example';
const dnssecTypes = /^(RRSIG|DNSKEY|NSEC|NSEC3|NSEC3PARAM|CDS|CDNSKEY)$/;

interface Row {
  readonly id?: number;
  readonly name: string;
  readonly type: string;
  readonly value: string;
  readonly ttl: number;
  readonly actions: readonly string[];
}

let service: InProcessService;
beforeEach(async () => {
  service = new InProcessService();
  await service.createZone(zone);
  await service.call('POST', '/records/bulk', {
    zone_name: zone,
    records: [
      { name: 'www', type: 'A', value: '192.0.2.1', ttl: 300 },
      { name: 'mail', type: 'MX', value: 'www.signed.example.', ttl: 600 },
      { name: 'text', type: 'TXT', value: 'rrsig of words', ttl: 300 },
    ],
  });
  const body = { parent_ns_addrs: ['192.0.2.1'], policy_name: 'nsec' };
  await service.call('POST', '/dnssec-policies', { name: 'nsec', denial: 'nsec' }, 201);
  await service.call('POST', `/zones/${zone}/dnssec`, body, 201);
});
afterEach(() => service.close());

/** A record more, which is serial 4, and every signature anew, which is 5. */
async function goOn(): Promise<void> {
  const add = { zone_name: zone, name: 'later', type: 'A', value: '192.0.2.9' };
  await service.call('POST', '/records', add, 201);
  await service.call('POST', `/zones/${zone}/dnssec/sign`, undefined, 200);
}

async function list(query = '', limit = 1000): Promise<{ items: Row[]; total: number }> {
  const path = `/records?zone_name=${zone}&limit=${limit}${query}`;
  const { items, pagination } = await service.call('GET', path);
  return { items, total: pagination.total };
}

const linesOf = (items: readonly Row[]) => items.map(({ name, type }) => `${name} ${type}`);
const isDnssec = ({ type }: Row) => dnssecTypes.test(type);

describe('records?signed=true (interface 4.3 rule 2)', () => {
  it('appends the derived records after those of users, in one count', async () => {
    const plain = await list();
    expect(plain.items.filter(isDnssec)).toEqual([]);
    expect(plain.total).toBe(4);
    const both = await list('&signed=true');
    expect(both.items.slice(0, 4)).toEqual(plain.items);
    const derived = both.items.slice(4);
    expect(derived.every(isDnssec)).toBe(true);
    expect(both.total).toBe(both.items.length);
    const counts = new Map<string, number>();
    for (const { type } of derived) counts.set(type, (counts.get(type) ?? 0) + 1);
    // SOA, NS, DNSKEY and NSEC at the apex, a record and NSEC at each of the three names below it.
    expect(Object.fromEntries(counts)).toEqual({ DNSKEY: 1, NSEC: 4, RRSIG: 10 });
  });

  it('gives derived rows no id and nobody an action on them', async () => {
    const { items } = await list('&signed=true');
    for (const row of items.filter(isDnssec)) {
      expect(row).not.toHaveProperty('id');
      expect(row).toMatchObject({ actions: [], priority: null, zone_name: zone });
      expect(row.name.endsWith('signed.example.')).toBe(true);
    }
  });

  it('pages over both without a gap, in every order', async () => {
    for (const order of [
      '',
      '&order=desc',
      '&sort=type',
      '&sort=ttl&order=desc',
      '&sort=priority',
    ]) {
      const { items, total } = await list(`&signed=true${order}`);
      expect(items.slice(0, 4).some(isDnssec)).toBe(false);
      const paged: Row[] = [];
      for (let offset = 0; offset < total; offset += 3) {
        const page = await list(`&signed=true${order}&offset=${offset}`, 3);
        expect(page.total).toBe(total);
        paged.push(...page.items);
      }
      expect(paged).toEqual(items);
    }
    const { items } = await list('&signed=true&sort=type&order=desc');
    const types = items.slice(4).map(({ type }) => type);
    expect(types).toEqual(types.toSorted().reverse());
    const names = (await list('&signed=true&order=desc')).items.slice(4).map(({ name }) => name);
    expect(names[0]).toBe(`www.${zone}.`);
    expect(names.at(-1)).toBe(`${zone}.`);
  });

  it('filters both kinds by name, type and TTL', async () => {
    expect(linesOf((await list('&signed=true&name=www')).items)).toEqual([
      `www.${zone}. A`,
      `www.${zone}. RRSIG`,
      `www.${zone}. RRSIG`,
      `www.${zone}. NSEC`,
    ]);
    const keys = await list('&signed=true&type=DNSKEY');
    expect(linesOf(keys.items)).toEqual([`${zone}. DNSKEY`]);
    expect(keys.items[0]!.value).toMatch(/^257 3 13 /);
    expect((await list('&signed=true&type=A')).items).toHaveLength(1);
    const ttl = await list('&signed=true&ttl=600');
    expect(linesOf(ttl.items)).toEqual([`mail.${zone}. MX`, `mail.${zone}. RRSIG`]);
  });

  it('searches derived rows by name only, and leaves them out where a priority is asked for', async () => {
    expect(linesOf((await list('&signed=true&search=rrsig')).items)).toEqual([`text.${zone}. TXT`]);
    const mail = await list('&signed=true&search=MAIL');
    expect(mail.items).toHaveLength(4);
    expect(linesOf((await list('&signed=true&priority=10')).items)).toEqual([`mail.${zone}. MX`]);
    expect((await list('&signed=true&max_priority=9')).total).toBe(0);
  });

  it('needs the zone, no value, and signed for derived types', async () => {
    const refused = (path: string, code: string) => service.refused('GET', path, undefined, code);
    await refused('/records?signed=true', 'INVALID_INPUT');
    await refused(`/records?zone_name=${zone}&signed=true&value=x`, 'INVALID_INPUT');
    await refused(`/records?zone_name=${zone}&type=RRSIG`, 'INVALID_INPUT');
  });
});

async function exported(query: string): Promise<string> {
  const response = await service.fetch('GET', `/zones/${zone}/export${query}`);
  expect(response.status).toBe(200);
  return response.text();
}

describe('export?signed=true', () => {
  it('appends the derived records to the file', async () => {
    const plain = await exported('');
    expect(plain).not.toMatch(/\t(RRSIG|DNSKEY|NSEC)\t/);
    const signed = await exported('?signed=true');
    expect(signed.startsWith(plain)).toBe(true);
    const lines = signed.slice(plain.length).trimEnd().split('\n');
    const { items } = await list('&signed=true');
    expect(lines).toHaveLength(items.filter(isDnssec).length);
    for (const line of lines) expect(dnssecTypes.test(line.split('\t')[3]!)).toBe(true);
  });

  it('of an earlier serial has the signatures of then, until they are let go of', async () => {
    const { zone: before } = await service.call('GET', `/zones/${zone}`);
    const then = await exported('?signed=true');
    await goOn();
    expect(await exported('?signed=true')).not.toBe(then);
    expect(await exported(`?signed=true&serial=${before.serial}`)).toBe(then);
    const unsigned = await exported(`?signed=true&serial=${before.serial - 1}`);
    expect(unsigned).not.toMatch(/\t(RRSIG|DNSKEY|NSEC)\t/);
  });

  it('can not be imported', async () => {
    const content = await exported('?signed=true');
    const path = `/zones/${zone}/import`;
    const response = await service.fetch('POST', path, { content });
    expect(response.status).toBe(422);
    const { errors } = (await response.json()) as { errors: string[] };
    expect(errors[0]).toMatch(/RRSIG|DNSKEY|NSEC/);
    const skipping = { content, mode: 'replace', skip_unsupported: true };
    const { summary } = await service.call('POST', path, skipping);
    expect(summary).toMatchObject({ added: 0, deleted: 0, updated: 0, skipped: errors.length });
  });
});

describe('versions and diffs', () => {
  const serials = async (query = '') => {
    const { items, pagination } = await service.call('GET', `/zones/${zone}/versions${query}`);
    expect(pagination.total).toBe(items.length);
    return items.map(({ serial }: { serial: number }) => serial);
  };

  it('hide past signer serials unless include_signer_serials says otherwise', async () => {
    await goOn();
    // 1 created, 2 records, 3 signed, 4 a record, 5 signed anew.
    expect(await serials()).toEqual([5, 4, 2, 1]);
    expect(await serials('?include_signer_serials=true')).toEqual([5, 4, 3, 2, 1]);
    await service.call('POST', `/zones/${zone}/dnssec/sign`, undefined, 200);
    expect(await serials()).toEqual([6, 4, 2, 1]);
  });

  it('never show derived records', async () => {
    await goOn();
    const version = await service.call('GET', `/zones/${zone}/versions/3`);
    expect(version.records.filter(isDnssec)).toEqual([]);
    const { diff } = await service.call('GET', `/zones/${zone}/versions/diff?from=2&to=5`);
    expect(diff.summary).toEqual({ added: 1, changed: 0, removed: 0 });
    const none = await service.call('GET', `/zones/${zone}/versions/diff?from=2&to=3`);
    expect(none.diff.entries).toEqual([]);
  });

  it('are rolled back without touching signatures but for what changes', async () => {
    await goOn();
    const rolled = await service.call('POST', `/zones/${zone}/versions/2/rollback`);
    expect(rolled.summary).toMatchObject({ added: 0, deleted: 1, soa_changed: false });
    const { items } = await list('&signed=true');
    expect(linesOf(items).filter((line) => line.startsWith('later'))).toEqual([]);
    expect(items.filter(({ type }) => type === 'NSEC')).toHaveLength(4);
    expect(await service.verify()).toEqual([]);
  });
});

/** Warnings in the answers of writes (interface 4.2, 4.3 and 4.8): every write has them, and none tells a secret. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/contract/routes.ts';
import { warnings } from '../../src/contract/warning.ts';
import { InProcessService } from '../support/in-process.ts';
import { input } from '../support/record-desk.ts';

let service: InProcessService;
beforeAll(() => {
  service = new InProcessService({ authenticationRequired: true });
});
afterAll(() => service.close());

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Answer = any;

/** As the administrator. */
const call = (method: string, path: string, body?: unknown, status?: number) =>
  service.call(method, path, body, status, 'local');

const codesOf = ({ warnings }: Answer): string[] =>
  warnings.map(({ code, name, type }: Answer) => `${code} ${name} ${type}`);

let zones = 0;

/** A fresh zone whose name server has an address. */
async function freshZone(): Promise<string> {
  const name = `w${++zones}.example`;
  await service.createZone(name);
  await create(name, 'ns1', 'A', '192.0.2.1');
  return name;
}

const create = (zone: string, name: string, type: string, value: unknown, more: object = {}) =>
  call('POST', '/records', { zone_name: zone, ...input(name, type, value, more) });

const soa = (name: string) => `@ IN SOA ns1.${name}. hostmaster.${name}. 1 300 60 3600000 86400\n`;

/** One write of each route, with what it warns of. */
const writes: Record<
  string,
  {
    readonly method: string;
    readonly hasDryRun?: false;
    path(zone: string, id: number): string;
    body?(zone: string): object;
    prepare?(zone: string): Promise<unknown>;
    /** Apart from the zone's name. */
    readonly warns: readonly string[];
  }
> = {
  createZone: {
    method: 'POST',
    path: () => '/zones',
    body: (zone) => ({
      name: `new.${zone}`,
      mname: `ns1.${zone}`,
      rname: `hostmaster@${zone}`,
      apex_ns: false,
    }),
    warns: ['NO_APEX_NS new.ZONE. NS'],
  },
  updateZone: {
    method: 'PUT',
    path: (zone) => `/zones/${zone}`,
    body: () => ({ description: 'x' }),
    warns: [],
  },
  deleteZone: { method: 'DELETE', path: (zone) => `/zones/${zone}`, warns: [] },
  importZone: {
    method: 'POST',
    path: (zone) => `/zones/${zone}/import`,
    body: () => ({ content: 'www 300 IN CNAME gone\n' }),
    warns: ['CNAME_TARGET_MISSING www.ZONE. CNAME'],
  },
  importZoneEarlier: {
    method: 'POST',
    path: (zone) => `/zones/${zone}/imports`,
    body: () => ({ content: '@ 300 IN MX 10 mx.\n' }),
    warns: ['TARGET_SINGLE_LABEL ZONE. MX'],
  },
  rollbackVersion: {
    method: 'POST',
    path: (zone) => `/zones/${zone}/versions/1/rollback`,
    body: () => ({}),
    warns: ['TARGET_NO_ADDRESS ZONE. NS'],
  },
  rollbackZone: {
    method: 'POST',
    path: (zone) => `/zones/${zone}/rollback`,
    body: () => ({ serial: 1 }),
    warns: ['TARGET_NO_ADDRESS ZONE. NS'],
  },
  restoreZone: {
    method: 'POST',
    hasDryRun: false,
    path: (zone) => `/zones/${zone}/restore`,
    prepare: (zone) => call('DELETE', `/zones/${zone}`),
    warns: [],
  },
  purgeZone: {
    method: 'POST',
    path: (zone) => `/zones/${zone}/purge`,
    prepare: (zone) => call('DELETE', `/zones/${zone}`),
    warns: [],
  },
  forgetHistory: {
    method: 'POST',
    path: (zone) => `/zones/${zone}/forget-history`,
    body: () => ({ before: new Date(0).toISOString() }),
    warns: [],
  },
  createRecord: {
    method: 'POST',
    path: () => '/records',
    body: (zone) => ({ zone_name: zone, ...input('@', 'MX', `mail.${zone}`) }),
    warns: ['TARGET_NO_ADDRESS ZONE. MX'],
  },
  updateRecord: {
    method: 'PUT',
    path: (_, id) => `/records/${id}`,
    body: (zone) => ({ name: 'x', type: 'CNAME', value: `gone.${zone}` }),
    warns: ['TARGET_NO_ADDRESS ZONE. NS', 'CNAME_TARGET_MISSING x.ZONE. CNAME'],
  },
  deleteRecord: {
    method: 'DELETE',
    path: (_, id) => `/records/${id}`,
    warns: ['TARGET_NO_ADDRESS ZONE. NS'],
  },
  deleteRecords: {
    method: 'DELETE',
    path: (zone) => `/records?zone_name=${zone}&name=ns1&type=A`,
    warns: ['TARGET_NO_ADDRESS ZONE. NS'],
  },
  createRecords: {
    method: 'POST',
    path: () => '/records/bulk',
    body: (zone) => ({
      zone_name: zone,
      records: [
        input('_sip._tcp', 'SRV', `0 5060 alias.${zone}`),
        input('alias', 'CNAME', `ns1.${zone}`),
      ],
    }),
    warns: ['TARGET_IS_ALIAS _sip._tcp.ZONE. SRV'],
  },
  createRecordsInZone: {
    method: 'POST',
    path: (zone) => `/zones/${zone}/records/bulk`,
    body: () => ({
      records: Array.from({ length: 101 }, (_, index) => input('big', 'A', `10.0.0.${index}`)),
    }),
    warns: ['LARGE_RRSET big.ZONE. A'],
  },
  applyDesired: {
    method: 'POST',
    path: (zone) => `/zones/${zone}/desired?owner=shop`,
    body: () => ({ content: 'www 300 CNAME gone' }),
    warns: ['CNAME_TARGET_MISSING www.ZONE. CNAME'],
  },
  applyExternalChanges: {
    method: 'POST',
    hasDryRun: false,
    path: () => '/external-dns/changes',
    body: (zone) => ({
      creates: [{ name: `www.${zone}`, type: 'CNAME', values: [`gone.${zone}`] }],
    }),
    warns: ['CNAME_TARGET_MISSING www.ZONE. CNAME'],
  },
};

/** Of what is no change of a zone or of records, or of nothing that anybody else would see. */
const others = new Set([
  'notifyZone',
  'notifyAll',
  'notifyZones',
  'adjustExternalRecords',
  'diffZone',
  'tagZone',
  'untagZone',
]);

describe('every write and dry run', () => {
  it('is in the table', () => {
    const tags = new Set(['zones', 'records', 'external-dns']);
    const expected = routes
      .filter(({ method, tag }) => method !== 'GET' && tags.has(tag))
      .map(({ id }) => id)
      .filter((id) => !others.has(id));
    expect(Object.keys(writes).sort()).toEqual(expected.sort());
  });

  it('has warnings in its answer by the contract', () => {
    for (const { id, success } of routes) {
      if (!(id in writes)) continue;
      const { entries } = success.schema as unknown as { entries: Record<string, unknown> };
      expect([id, entries.warnings]).toEqual([id, warnings]);
    }
  });

  it.each(Object.entries(writes))('%s answers warnings', async (_, write) => {
    const zone = await freshZone();
    const { items } = await call('GET', `/records?zone_name=${zone}&name=ns1&type=A`);
    await write.prepare?.(zone);
    const path = write.path(zone, items[0].id);
    const body = write.body?.(zone);
    const tried =
      write.hasDryRun === false
        ? undefined
        : body === undefined
          ? await call(write.method, `${path}${path.includes('?') ? '&' : '?'}dry_run=true`)
          : await call(write.method, path, { ...body, dry_run: true });
    const done = await call(write.method, path, body);
    const expected = write.warns.map((text) => text.replace('ZONE', zone));
    expect(codesOf(done)).toEqual(expected);
    if (tried !== undefined) expect(tried.warnings).toEqual(done.warnings);
    for (const warning of done.warnings) {
      expect(Object.keys(warning).sort()).toEqual(['code', 'message', 'name', 'type']);
    }
  });

  it('an import that is refused answers none', async () => {
    const zone = await freshZone();
    const content = 'www IN CNAME gone\nx IN A nothing\n';
    const answer = await call('POST', `/zones/${zone}/import`, { content }, 422);
    expect(answer).toMatchObject({ applied: false, warnings: [] });
  });
});

describe('a zone without apex NS', () => {
  it('is told of when it is made, changed, imported, rolled back and restored', async () => {
    const zone = `w${++zones}.example`;
    const warns = [`NO_APEX_NS ${zone}. NS`];
    const content = `${soa(zone)}www 300 IN A 192.0.2.1\n`;
    const made = await call('POST', `/zones/${zone}/import`, { content, create: true });
    expect(codesOf(made)).toEqual(warns);
    const changed = await call('PUT', `/zones/${zone}`, { description: 'x' });
    expect(codesOf(changed)).toEqual(warns);
    const imported = await call('POST', `/zones/${zone}/import`, { content });
    expect(codesOf(imported)).toEqual(warns);
    expect(codesOf(await create(zone, 'x', 'A', '192.0.2.1'))).toEqual([]);
    expect(codesOf(await create(zone, '@', 'TXT', 'text'))).toEqual(warns);
    const rolledBack = await call('POST', `/zones/${zone}/versions/1/rollback`);
    expect(codesOf(rolledBack)).toEqual(warns);
    await call('DELETE', `/zones/${zone}`);
    expect(codesOf(await call('POST', `/zones/${zone}/restore`))).toEqual(warns);
    expect(codesOf(await create(zone, '@', 'NS', 'ns.example.net'))).toEqual([]);
    const name = 'renamed.example';
    expect(codesOf(await call('PUT', `/zones/${zone}`, { name }))).toEqual([]);
  });

  it('is not told to who may not read its apex', async () => {
    const zone = `w${++zones}.example`;
    await service.createZone(zone, { apex_ns: false });
    const actions = ['zone:update'];
    const secret = await service.tokenOf(`blind${zones}`, [{ actions, zone_name: zone }]);
    const body = { description: 'x' };
    const strict = (as: string) => service.call('PUT', `/zones/${zone}`, body, 200, as);
    expect(codesOf(await strict(secret))).toEqual([]);
    expect(codesOf(await strict('local'))).toEqual([`NO_APEX_NS ${zone}. NS`]);
  });
});

describe('what the caller may not read', () => {
  it('makes no difference to the warnings it gets', async () => {
    const answers: unknown[] = [];
    for (const isThere of [false, true]) {
      const zone = await freshZone();
      await create(zone, 'seen', 'TXT', 'text');
      if (isThere) {
        await create(zone, 'hidden', 'CNAME', 'example.net');
        await create(zone, 'below.hidden2', 'A', '192.0.2.2');
      }
      const zone_name = zone;
      const secret = await service.tokenOf(`narrow${zones}`, [
        { actions: ['record:create'], zone_name },
        { actions: ['record:read'], zone_name, record_name_pattern: 'seen' },
      ]);
      const post = async (name: string, type: string, value: string) => {
        const body = { zone_name, ...input(name, type, value) };
        const { warnings } = await service.call('POST', '/records', body, 201, secret);
        return JSON.parse(JSON.stringify(warnings).replaceAll(zone, 'ZONE'));
      };
      answers.push([
        await post('a', 'CNAME', `hidden.${zone}`),
        await post('b', 'CNAME', `hidden2.${zone}`),
        await post('c', 'MX', `hidden.${zone}`),
        await post('c', 'MX', `seen.${zone}`),
        await post('d', 'NS', `hidden2.${zone}`),
        await post('e', 'MX', 'mx.'),
      ]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect((answers[0] as Answer[][]).map((warnings) => warnings.map(({ code }) => code))).toEqual([
      [],
      [],
      [],
      ['TARGET_NO_ADDRESS'],
      [],
      ['TARGET_SINGLE_LABEL'],
    ]);
  });

  it('a deeper zone counts for who sees it', async () => {
    const zone = await freshZone();
    await service.createZone(`sub.${zone}`);
    const see = { actions: ['record:create', 'record:read'] };
    const blind = await service.tokenOf(`above${zones}`, [{ ...see, zone_name: zone }]);
    const post = async (name: string, as: string) => {
      const body = { zone_name: zone, ...input(name, 'MX', `mail.sub.${zone}`) };
      return codesOf(await service.call('POST', '/records', body, 201, as));
    };
    expect(await post('a', 'local')).toEqual([]);
    expect(await post('b', blind)).toEqual([`TARGET_NO_ADDRESS b.${zone}. MX`]);
  });
});

describe('warnings', () => {
  it('go over all zones of one sync of ExternalDNS, by their names', async () => {
    const [one, two] = [await freshZone(), await freshZone()];
    const creates = [one, two].map((zone) => {
      return { name: `www.${zone}`, type: 'CNAME', values: [`gone.${zone}`] };
    });
    const answer = await call('POST', '/external-dns/changes', { creates });
    expect(codesOf(answer)).toEqual([
      `CNAME_TARGET_MISSING www.${one}. CNAME`,
      `CNAME_TARGET_MISSING www.${two}. CNAME`,
    ]);
  });

  it('are the same in a signed zone, whose NSEC3 stand between the names', async () => {
    const zone = await freshZone();
    const at = (name: string) => `${name}.${zone}`;
    for (const name of ['a', 'm', 'x.deep', 'z']) await create(zone, name, 'A', '192.0.2.1');
    const policy = { name: `p${zones}`, denial: 'nsec3', algorithm: 'ecdsap256sha256' };
    await call('POST', '/dnssec-policies', policy);
    await call('POST', `/zones/${zone}/dnssec`, {
      policy_name: policy.name,
      parent_ns_addrs: ['192.0.2.1'],
    });
    expect(codesOf(await create(zone, 'c1', 'CNAME', at('deep')))).toEqual([]);
    expect(codesOf(await create(zone, 'c2', 'MX', at('m')))).toEqual([]);
    const missing = [`CNAME_TARGET_MISSING c3.${zone}. CNAME`];
    expect(codesOf(await create(zone, 'c3', 'CNAME', at('x.m')))).toEqual(missing);
    await call('DELETE', `/records?zone_name=${zone}&name=x.deep`);
    const gone = [`CNAME_TARGET_MISSING c4.${zone}. CNAME`];
    expect(codesOf(await create(zone, 'c4', 'CNAME', at('deep')))).toEqual(gone);
  });

  it('are of the state that a bulk ends in, and 100 at most', async () => {
    const zone = await freshZone();
    const names = Array.from({ length: 150 }, (_, index) => `h${String(index).padStart(3, '0')}`);
    const bulk = (value: string) => {
      const records = names.map((name) => input(name, 'CNAME', `${value}.${zone}`));
      return call('POST', '/records/bulk', { zone_name: zone, records, dry_run: true });
    };
    expect((await bulk('ns1')).warnings).toEqual([]);
    expect((await bulk('h000')).warnings).toEqual([]);
    const { warnings } = await bulk('gone');
    expect(warnings).toHaveLength(101);
    expect(warnings[100]).toEqual({
      code: 'MORE_WARNINGS',
      name: null,
      type: null,
      message: '50 more warnings are not listed',
    });
  });
});

/** Lint: zones drawn by a seed against a model that looks at everything, page by page, and against named-checkzone. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { isLong } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { Random } from '../visibility/random.ts';
import { everything, LintModel, type ModelRecord, type ModelZone } from './model.ts';

interface VerifyResult {
  readonly code: string;
  readonly name: string;
  readonly type: string;
  readonly message: string;
}

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 1_000_000));
const names = ['a.example', 'b.a.example', 'c.b.a.example', 'd.example'];
const owners = ['@', 'b', 'c.b', 'x', 'y', 'y.x', '*.x', '*.w', 'z.w', 'b.y', 'ns.b'];
/** Its own judgement of a zone file. */
const checker = 'named-checkzone';
const rounds = isLong ? 200 : 10;
let service: InProcessService;

beforeAll(() => {
  service = new InProcessService({});
});
afterAll(() => service.close());

/** All findings of a zone, page after page. */
async function lint(zone: string, limit = 1000): Promise<VerifyResult[]> {
  const found: VerifyResult[] = [];
  let cursor = '';
  do {
    const page = await service.call('GET', `/zones/${zone}/lint?limit=${limit}${cursor}`);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    found.push(...page.items);
    cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
  } while (cursor !== '');
  return found;
}

const add = (zone_name: string, records: readonly object[]) =>
  service.call('POST', '/records/bulk', { zone_name, records }, 201);
const rowsOf = (found: readonly VerifyResult[]) =>
  found.map(({ name, type, code }) => `${name} ${type} ${code}`);

function drawRecords(random: Random, zones: readonly string[]): ModelRecord[] {
  const target = () => {
    const owner = random.one(owners);
    const zone = random.next() < 0.1 ? 'other.test' : random.one(zones);
    return owner === '@' ? `${zone}.` : `${owner.replace('*', 'q')}.${zone}.`;
  };
  const terms = () => [
    `include:${target()}`,
    'a',
    'mx',
    'exists:%{i}.test',
    `redirect=${target()}`,
  ];
  return random.sample(owners, 7).flatMap((name): ModelRecord[] => {
    const record = (type: string, value: string) => ({ name, type, value, ttl: 60 });
    if (name !== '@' && random.next() < 0.3) return [record('CNAME', target())];
    const spf = () =>
      `v=spf1 ${Array.from({ length: random.below(7) }, () => random.one(terms())).join(' ')} -all`;
    const drafts = {
      A: () => '192.0.2.1',
      AAAA: () => '2001:db8::1',
      NS: target,
      MX: target,
      SRV: () => `0 1 ${target()}`,
      TXT: () => (random.next() < 0.8 ? spf() : 'words'),
    };
    const drawn = Object.entries(drafts).flatMap(([type, value]) =>
      random.next() < 0.35 && !(type === 'NS' && name.startsWith('*'))
        ? Array.from({ length: 1 + random.below(2) }, () => record(type, value()))
        : [],
    );
    const ds = '1 13 2 49FD46E6C4B45C55D4AC69CBD3CD34AC1AFE51DE37BCBB4AA8A52E0DBEE0CD52';
    const isCut = name !== '@' && drawn.some(({ type }) => type === 'NS');
    return [...drawn, ...(isCut && random.next() < 0.3 ? [record('DS', ds)] : [])];
  });
}

const priority = ({ type }: ModelRecord) => (/^(MX|SRV)$/.test(type) ? { priority: 10 } : {});
const keyOf = ({ name, type, value }: ModelRecord) => `${name} ${type} ${value}`;

describe('interface 4.11', () => {
  it(`finds in drawn zones what the model finds, by pages of any size (seed ${seed})`, async () => {
    const random = new Random(seed);
    const seen = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      const zones: ModelZone[] = [];
      const apexes = names.filter(() => random.next() < 0.8).map((name) => `r${round}.${name}`);
      const made = apexes.map((name) =>
        name.replace(/^r\d+\.(.*)\.example$/, `$1.r${round}.example`),
      );
      for (const name of made) {
        const { id } = await service.createZone(name, { apex_ns: false });
        const drawn = drawRecords(random, made);
        const records = [...new Map(drawn.map((one) => [keyOf(one), one])).values()];
        if (records.length > 0) {
          await add(
            name,
            records.map((one) => ({ ...one, ...priority(one) })),
          );
        }
        zones.push({ id, name, records });
      }
      const model = new LintModel(zones, everything);
      for (const zone of zones) {
        const found = await lint(zone.name);
        const expected = model.findings(zone);
        expect(rowsOf(found), JSON.stringify(zones)).toEqual(expected);
        expect(await lint(zone.name, 1 + random.below(4))).toEqual(found);
        for (const { code } of found) seen.add(code);
      }
    }
    expect(seen.size).toBeGreaterThan(4);
  });
});

needsPeers(checker)('beside BIND', () => {
  it('says of MX and SRV in the zone what named-checkzone says', async () => {
    const random = new Random(seed + 1);
    const folder = mkdtempSync(join(tmpdir(), 'lint-'));
    for (let round = 0; round < 12; round++) {
      const name = `p${round}.test`;
      await service.createZone(name, { apex_ns: false });
      const drawn = drawRecords(random, [name]).filter(
        (one) => !/^(DS|TXT)$/.test(one.type) && one.type !== 'NS',
      );
      const records = [
        ...new Map(drawn.map((one) => [keyOf(one), one])).values(),
        { name: '@', type: 'NS', value: 'ns.other.test.', ttl: 60 },
      ];
      await add(
        name,
        [...new Map(records.map((one) => [keyOf(one), one])).values()].map((one) => ({
          ...one,
          ...priority(one),
        })),
      );
      const file = join(folder, name);
      writeFileSync(
        file,
        await service.fetch('GET', `/zones/${name}/export`).then((r) => r.text()),
      );
      let said = '';
      try {
        said = execFileSync(checker, ['-i', 'local', '-M', 'warn', '-S', 'warn', name, file], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        });
      } catch (error) {
        said = String((error as { stdout?: string }).stdout);
      }
      const peers = [...said.matchAll(/(\S+)\/(MX|SRV) '(\S+)' (is a CNAME|has no address)/g)].map(
        ([, owner, type, target, what]) =>
          `${owner}. ${type} ${target}. ${what === 'is a CNAME' ? 'TARGET_IS_ALIAS' : 'TARGET_NO_ADDRESS'}`,
      );
      const ours = (await lint(name))
        .filter(({ code }) => /^TARGET_(IS|NO)/.test(code))
        .map(({ name: owner, type, code, message }) => {
          return `${owner} ${type} ${/target (\S+)/.exec(message)![1]} ${code}`;
        });
      expect(ours.sort(), said).toEqual([...new Set(peers)].sort());
    }
    rmSync(folder, { recursive: true });
  });
});

describe('a delegation to another stored zone', () => {
  it('is compared with its NS, in both zones', async () => {
    await service.createZone('up.test', { apex_ns: false });
    await service.createZone('low.up.test', { apex_ns: false });
    const ns = { name: '@', type: 'NS', value: 'ns.other.test.' };
    await add('up.test', [ns]);
    await add('low.up.test', [ns]);
    expect(rowsOf(await lint('low.up.test'))).toEqual(['low.up.test. NS DELEGATION_MISSING']);
    await add('up.test', [{ ...ns, name: 'low', value: 'ns.foreign.test.' }]);
    const found = [...(await lint('up.test')), ...(await lint('low.up.test'))];
    expect(rowsOf(found)).toEqual(Array(2).fill('low.up.test. NS DELEGATION_DIFFERS'));
    expect(found.map(({ message }) => message)).toEqual([
      'the delegation names ns.foreign.test., but the zone itself has NS ns.other.test.',
      'the zone has NS ns.other.test., but zone up.test. delegates it to ns.foreign.test.',
    ]);
    await add('up.test', [{ ...ns, name: 'low' }]);
    await add('low.up.test', [{ ...ns, value: 'ns.foreign.test.' }]);
    expect([...(await lint('up.test')), ...(await lint('low.up.test'))]).toEqual([]);
  });
});

describe('a delegation to a signed zone', () => {
  const ds = { name: 'child', type: 'DS', ttl: 3600 };
  it('is compared with its keys, and with the TTLs of both', async () => {
    await service.createZone('parent.test', { apex_ns: false });
    await service.createZone('child.parent.test', { apex_ns: false });
    const ns = { name: 'child', type: 'NS', value: 'ns.other.test.', ttl: 60 };
    await add('parent.test', [ns, { ...ns, name: '@' }]);
    await add('child.parent.test', [{ ...ns, name: '@', ttl: 300 }]);
    expect(rowsOf(await lint('parent.test'))).toEqual([]);
    await service.call('POST', '/zones/child.parent.test/dnssec', {
      parent_ns_addrs: ['192.0.2.9'],
    });
    expect(rowsOf(await lint('parent.test'))).toEqual(['child.parent.test. NS TTL_OUT_OF_STEP']);
    const status = await service.call('GET', '/zones/child.parent.test/dnssec');
    const value: string = JSON.stringify(status).match(/\d+ 13 2 [0-9A-Fa-f]{64}/)![0];
    await add('parent.test', [{ ...ds, value, ttl: 200_000 }]);
    const rows = ['NS TTL_OUT_OF_STEP', 'DS TTL_OUT_OF_STEP'];
    expect(rowsOf(await lint('parent.test'))).toEqual(
      rows.map((row) => `child.parent.test. ${row}`),
    );
    await service.call('DELETE', '/records?zone_name=parent.test&name=child&type=DS');
    const other = value.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    await add('parent.test', [{ ...ds, value: other }]);
    expect(rowsOf(await lint('parent.test'))).toEqual([
      'child.parent.test. NS TTL_OUT_OF_STEP',
      'child.parent.test. DS DS_WITHOUT_KEY',
    ]);
  });
});

describe('rules of a single name', () => {
  it('warn of SPF in writes by the same codes', async () => {
    await service.createZone('spf.test');
    const record = { zone_name: 'spf.test', name: '@', type: 'TXT' };
    const many = Array.from({ length: 11 }, (_, index) => `include:s${index}.test`).join(' ');
    const first = { ...record, value: `v=spf1 ${many} -all` };
    const codes = async (body: object) =>
      (await service.call('POST', '/records', body, 201)).warnings.map(
        (one: VerifyResult) => one.code,
      );
    expect(await codes(first)).toEqual(['SPF_LOOKUPS']);
    expect(await codes({ ...record, value: 'v=spf1 -all' })).toEqual([
      'SPF_LOOKUPS',
      'SPF_MULTIPLE',
    ]);
    expect(await codes({ ...record, value: 'v=spf10 is none' })).toEqual([]);
  });

  it('find RRsets of more than 100 records', async () => {
    await service.createZone('large.test', { apex_ns: false });
    const of = (count: number, name: string) =>
      Array.from({ length: count }, (_, index) => ({ name, type: 'A', value: `192.0.2.${index}` }));
    await add('large.test', [...of(100, 'w'), ...of(101, 'x')]);
    const found = rowsOf(await lint('large.test'));
    expect(found).toEqual(['large.test. NS NO_APEX_NS', 'x.large.test. A LARGE_RRSET']);
  });

  it('refuses a cursor that no page answered', async () => {
    const ofOther = (await service.call('GET', '/zones?limit=1')).next_cursor;
    for (const cursor of ['e30', ofOther]) {
      const path = `/zones/large.test/lint?cursor=${cursor}`;
      const answer = await service.call('GET', path, undefined, 400);
      expect(answer.code).toBe('INVALID_INPUT');
    }
  });
});

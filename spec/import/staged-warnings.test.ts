/** Warnings of what is staged: the same as one command tells, and 100 at most, for every way of staging. */
import { describe, expect, it } from 'vitest';
import type { Warning } from '../../src/base/warning.ts';
import { scanBulk } from '../../src/contract/scanned-bulk.ts';
import { compileGrant, fullRights, noRights, Rights } from '../../src/domain/access/rights.ts';
import type { RecordInput } from '../../src/domain/record.ts';
import { longReads } from '../../src/query/long-reads.ts';
import { VersionQueries } from '../../src/query/version-queries.ts';
import { answerIn, hosts, open, request, type StagedZones } from '../support/staged-zones.ts';
import { apiOptions, dryRun, record } from '../support/stored-zones.ts';

const zoneName = 'example.com';

/** Names by what can stand at them, and names that are asked for and do not exist or only by wildcards. */
const targets = [
  '@',
  'h0',
  'h1',
  'h2',
  'c0',
  'c1',
  'sub',
  'ns.sub',
  'x.sub',
  'x.dn',
  'w',
  'q.w',
  'deep',
  'a.deep',
  'q.x',
  'gone',
  'b.gone',
];

/** Numbers that look random and are the same each time. */
function dice(seed: number): (faces: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (faces) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * faces);
  };
}

/** A master file of records that can stand together and point at each other, at times at nothing. */
function someFile(seed: number): string[] {
  const roll = dice(seed);
  const target = () => targets[roll(targets.length)]!;
  const lines: string[] = [];
  const maybe = (text: string) => void (roll(2) === 0 && lines.push(text));
  for (const host of ['h0', 'h1', 'h2', 'a.deep', '*.w', 'ns.sub']) maybe(`${host} IN A 192.0.2.1`);
  maybe(`c0 IN CNAME ${target()}`);
  maybe(`c1 IN CNAME ${target()}`);
  maybe(`*.x IN CNAME ${target()}`);
  maybe(`sub IN NS ${target()}`);
  maybe(`sub IN NS ${target()}`);
  maybe(`dn IN DNAME ${target()}`);
  maybe(`@ IN NS ${target()}`);
  maybe(`@ IN MX 10 ${target()}`);
  maybe(`@ IN MX 20 mx.`);
  maybe(`h3 IN MX 10 ${target()}`);
  maybe(`_sip._tcp IN SRV 0 1 2 ${target()}`);
  maybe(`_sip._tcp IN SRV 0 1 2 ${target()}`);
  maybe('h4 IN TXT text');
  lines.push('h9 IN A 192.0.2.9');
  return [...new Set(lines)].map((line) => line.replace(' IN ', ' 300 IN '));
}

async function warningsOf(made: StagedZones, content: string, more: object = {}) {
  const result = await made.importer.run(request(content, more));
  expect(result.errors).toEqual([]);
  if ('summary' in result.diff) for await (const _ of result.diff.entries);
  return result.warnings;
}

async function begin(smallRecords: number): Promise<StagedZones> {
  const made = open(smallRecords);
  await made.stored.zone(zoneName, { apexNs: true });
  return made;
}

describe('a staged import', () => {
  it.each(['append', 'upsert', 'replace'] as const)(
    '%s warns as one command does',
    async (mode) => {
      const [staged, whole] = [await begin(0), await begin(10_000)];
      let seen = 0;
      for (let seed = 1; seed <= 5; seed++) {
        for (const options of seed === 2 ? [dryRun, apiOptions] : [apiOptions]) {
          const content = someFile(seed).join('\n');
          const expected = await warningsOf(whole, content, { mode, options }).catch(String);
          const found = await warningsOf(staged, content, { mode, options }).catch(String);
          expect([seed, found]).toEqual([seed, expected]);
          if (typeof expected !== 'string') seen += expected.length;
        }
      }
      expect(seen).toBeGreaterThan(3);
    },
    120_000,
  );

  it('of a new zone tells that its apex has no NS, also who may not read any zone', async () => {
    const soa = '@ 3600 IN SOA ns1.example.net. admin.example.net. 77 400 60 3600000 900';
    const content = [soa, ...hosts(10), 'www 300 IN CNAME gone'].join('\n');
    for (const smallRecords of [0, 10_000]) {
      const found = await warningsOf(open(smallRecords), content, {
        create: true,
        rights: noRights,
      });
      expect(found.map(({ code, name }: Warning) => `${code} ${name}`)).toEqual([
        'NO_APEX_NS example.com.',
        'CNAME_TARGET_MISSING www.example.com.',
      ]);
    }
  });

  it('tells nothing of what the caller may not read', async () => {
    const made = await begin(0);
    await made.stored.add(zoneName, record('h', 'A', '192.0.2.1'));
    const content = 'a 300 IN CNAME gone\nb 300 IN MX 10 h4\nc 300 IN MX 10 mx.';
    const found = await warningsOf(made, content, { rights: noRights });
    expect(found.map(({ code }) => code)).toEqual(['TARGET_SINGLE_LABEL']);
  });

  it('lists 100 of very many, and counts those it did not look at', async () => {
    const lines = Array.from(
      { length: 2500 },
      (_, index) => `p${10_000 + index} 300 IN MX 10 gone`,
    );
    const found = await warningsOf(await begin(0), lines.join('\n'));
    expect(found).toHaveLength(101);
    expect(found.at(-1)).toMatchObject({
      code: 'MORE_WARNINGS',
      message: '900 more warnings are not listed; 1500 more changes were not checked',
    });
  });
});

describe('a staged rollback', () => {
  it('warns as one command does', async () => {
    const made = await begin(10_000);
    const { stored, importer } = made;
    for (let seed = 21; seed <= 25; seed++) {
      const content = `@ 300 IN NS h0\n${someFile(seed).join('\n')}`;
      const more = { mode: 'replace' } as const;
      await importer.run(request(content, more)).catch(() => undefined);
    }
    const zone = stored.zones.byName(zoneName)!;
    let seen = 0;
    for (let targetSerial = 1; targetSerial < zone.serial; targetSerial++) {
      const then = longReads(stored.connection).reads.rollbackNodes(
        zone,
        { serial: targetSerial, isUndo: false },
        1000,
      )!;
      const { settings } = new VersionQueries(stored.connection).get(zone, targetSerial)!;
      const named = { zoneName, zoneId: zone.id, targetSerial, settings };
      const command = { kind: 'rollback-zone', ...named } as const;
      const whole = await stored.writer.submit({ ...command, ...then, nodes: then.nodes! }, dryRun);
      const staged = await importer.rollBack({
        zone,
        targetSerial,
        settings,
        rights: fullRights,
        options: dryRun,
      });
      expect([targetSerial, staged.warnings]).toEqual([targetSerial, whole.warnings]);
      seen += whole.warnings.length;
    }
    expect(seen).toBeGreaterThan(3);
  });
});

describe('a bulk insert that is staged', () => {
  /** Beside hosts, records that point at what is there, at what comes along, and at nothing. */
  function inputs(seed: number): RecordInput[] {
    const roll = dice(seed);
    const target = () => `${targets[roll(targets.length)]}.${zoneName}`.replace('@.', '');
    const pointing = Array.from({ length: 60 }, (_, index) => {
      const type = ['MX', 'CNAME', 'SRV', 'NS'][roll(4)]!;
      const value = type === 'SRV' ? `0 1 ${target()}` : target();
      return record(`p${index}`, type, value, { ttl: 300 });
    });
    const large = Array.from({ length: 101 }, (_, index) => record('big', 'A', `10.9.0.${index}`));
    const many = Array.from({ length: 3600 }, (_, index) => {
      return record(`m${index}`, 'A', `10.0.${index >> 8}.${index & 255}`);
    });
    return [...pointing, record('q', 'MX', 'mx.'), ...large, record('h1', 'TXT', 'x'), ...many];
  }

  it('warns as one command does, whether its records are parsed or stay as written', async () => {
    const { stored, importer } = await begin(0);
    const more = ['sub NS ns.sub', 'ns.sub A', 'dn DNAME h0', '*.w A', 'a.deep TXT', 'c0 CNAME h0'];
    const zoneRecords = [...more, '*.x CNAME h0', 'h0 A', 'h1 A'].map((text) => {
      const [name = '', type = '', target] = text.split(' ');
      const value =
        target === undefined ? (type === 'A' ? '192.0.2.1' : 'text') : `${target}.${zoneName}`;
      return record(name, type, value);
    });
    await stored.add(zoneName, ...zoneRecords);
    for (const seed of [1, 2]) {
      const records = inputs(seed);
      const command = { kind: 'create-records', zoneName, records } as const;
      const { warnings } = await stored.run(command, dryRun);
      expect(warnings.length).toBeGreaterThan(10);
      const told = await importer.create({ zoneName, records }, fullRights, dryRun);
      expect((await answerIn(told)).warnings).toEqual(warnings);
      const body = Buffer.from(JSON.stringify({ zone_name: zoneName, records }));
      const bulk = { zoneName, records: scanBulk(body, true)!.records };
      const again = await importer.create(bulk, fullRights, dryRun);
      expect((await answerIn(again)).warnings).toEqual(warnings);
    }
  });

  it('tells nothing of what the caller may not read', async () => {
    const { stored, importer } = await begin(0);
    const grant = { id: 1, roleId: 2, zoneId: 1, recordTypes: '*', createdAt: 0 } as const;
    const create = { ...grant, actions: ['record:create'], recordNamePattern: '*' } as const;
    const rights = new Rights([compileGrant(create)]);
    const command = { kind: 'create-records', zoneName, records: inputs(3) } as const;
    expect(stored.zones.byName(zoneName)?.id).toBe(1);
    const { warnings } = await answerIn(await importer.create(command, rights, dryRun));
    expect(warnings.map(({ code }: Warning) => code).sort()).toEqual([
      'LARGE_RRSET',
      'TARGET_SINGLE_LABEL',
    ]);
  });
});

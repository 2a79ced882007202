/** Very many new records as they were written: the same zone, journal and answer as one command makes. */
import { afterEach, describe, expect, it } from 'vitest';
import { openPolicy } from '../support/destination.ts';
import { Importer } from '../../src/background/import/importer.ts';
import { scanBulk } from '../../src/contract/scanned-bulk.ts';
import { compileGrant, fullRights, Rights } from '../../src/domain/access/rights.ts';
import type { RecordInput } from '../../src/domain/record.ts';
import { StageStore } from '../../src/projection/stage-store.ts';
import { sampleOf } from '../support/long.ts';
import { answerIn, answerOfCommand, settle } from '../support/staged-zones.ts';
import {
  apiOptions,
  dryRun,
  openStoredZones,
  record,
  type StoredZones,
} from '../support/stored-zones.ts';

const zoneName = 'example.com';
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function open() {
  const stored = openStoredZones({ durable: false, clock: () => 1_700_000_000_000 });
  closing.push(() => stored.close());
  const { writer, zones } = stored;
  const stages = new StageStore(stored.connection);
  const importer = new Importer(
    {
      writer,
      zones,
      outbound: openPolicy(),
      clock: () => 1_700_000_000_000,
      workers: stored.workers,
    },
    {
      defaultTtl: 3600,
      transferTimeoutMs: 1000,
      transferMaxRecords: 1000,
      transferMaxBytes: 1e6,
    },
  );
  const begin = (records: readonly RecordInput[], options = apiOptions, rights = fullRights) => {
    const body = Buffer.from(JSON.stringify({ zone_name: zoneName, records }));
    const bulk = { zoneName, records: scanBulk(body, true)!.records };
    return importer.create(bulk, rights, options);
  };
  const create = async (records: readonly RecordInput[], options = apiOptions) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of (await begin(records, options))!) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };
  return { stored, importer, stages, begin, create };
}

type Opened = ReturnType<typeof open>;

/** In no order, names and types of every kind, some at owners that are there, some beside each other. */
const many = Array.from({ length: 4000 }, (_, index) => {
  const name = `H${(index * 7) % 3900}${index % 5 === 0 ? `.g${index % 3}` : ''}`;
  if (index % 10 === 3) return record(name, 'TXT', `text ${index}`, { ttl: 60 });
  if (index % 10 === 4) return record(`${name}.${zoneName}.`, 'AAAA', `2001:db8::${index}`);
  if (index % 10 === 6) return { ...record(name, 'mx', 'mail.example.net.'), priority: index };
  return record(name, 'A', `10.0.${index >> 8}.${index & 255}`, index % 4 === 0 ? { ttl: 77 } : {});
});
many.push(record('top', 'A', '255.255.255.255'), record('bottom', 'A', '0.0.0.0'));
many.push(record('@', 'A', '192.0.2.1'), record('a!b', 'A', '192.0.2.2'));
many.push(record('sub', 'NS', 'ns.example.net.'), record('*.W', 'CNAME', 'h1'));

async function fill({ stored }: Opened, isLarge: boolean): Promise<void> {
  await stored.zone(zoneName, { apexNs: true });
  const here = ['h7', 'kept', '*.wild', 'zz'].map((name) =>
    record(name, 'A', '192.0.2.7', { ttl: 3600 }),
  );
  await stored.add(zoneName, ...here, record('h15.g0', 'MX', 'mail.example.net.'));
  if (!isLarge) return;
  const more = Array.from({ length: 2500 }, (_, index) => `m${index}.${index % 7}`);
  await stored.add(zoneName, ...more.map((name) => record(name, 'A', '192.0.2.3')));
  await stored.add(zoneName, ...more.map((name) => record(`h${name}`, 'A', '192.0.2.3')));
}

function contentOf({ connection }: StoredZones): unknown {
  const blocks = `SELECT first, count, user_count, records, ids FROM block
    WHERE content = (SELECT content FROM zone) ORDER BY first`;
  const queries = [blocks, 'SELECT * FROM record ORDER BY id', 'SELECT * FROM counter'];
  return queries.map((query) => connection.prepare(query).raw().all());
}

const answerOf = ({ stored }: Opened, records: readonly RecordInput[], options = apiOptions) =>
  answerOfCommand(stored, zoneName, records, options);

const refused = [
  ['a value that is none', record('x', 'A', '1.2.3'), /records\[4006\]\.value/],
  ['an address of 256 first', record('x', 'A', '256.2.3.4'), /records\[4006\]\.value/],
  ['an address of 256 last', record('x', 'A', '1.2.3.256'), /records\[4006\]\.value/],
  ['an address with a zero before it', record('x', 'A', '1.2.3.04'), /records\[4006\]\.value/],
  ['a type that is none', record('x', 'AB', '1.2.3.4'), /records\[4006\]\.type/],
  ['a name outside', record('x.example.net.', 'A', '1.2.3.4'), /records\[4006\]\.name/],
  ['a label too long', record('x'.repeat(64), 'A', '1.2.3.4'), /records\[4006\]\.name/],
  ['a priority', record('x', 'A', '1.2.3.4', { priority: 1 }), /records\[4006\]\.priority/],
  ['a record that is there', record('kept', 'A', '192.0.2.7'), /already exists at kept/],
  ['one that comes twice', many[1]!, /already exists at h7/],
  ['a CNAME beside data', record('h7', 'CNAME', 'a.example.net.'), /CNAME/],
] as const;

describe.each([
  ['a zone that is written anew', false],
  ['a zone of which only some blocks are', true],
])('very many written records in %s', (_, isLarge) => {
  it('are made and answered as one command makes them', async () => {
    const whole = open();
    const written = open();
    await fill(whole, isLarge);
    await fill(written, isLarge);
    const expected = await answerOf(whole, many);
    expect(await written.create(many)).toBe(expected);
    expect(contentOf(written.stored)).toEqual(contentOf(whole.stored));
    const isStaged = [...written.stored.journal.events()].map(({ delta, seq }) => delta !== seq);
    expect(isStaged.at(-1)).toBe(true);
    await settle(written);
    for (const one of [whole, written]) {
      await one.stored.add(zoneName, record('after', 'A', '192.0.2.9'));
      await one.stored.run({ kind: 'delete-records', zoneName, name: 'h7' });
    }
    expect(contentOf(written.stored)).toEqual(contentOf(whole.stored));
    await settle(written);
  });

  it('begin blocks at owners that they make large, as one command has them begin', async () => {
    const [whole, written] = [open(), open()];
    for (const one of [whole, written]) {
      await fill(one, isLarge);
      await one.stored.add(zoneName, record('kept', 'TXT', 'x'.repeat(9000)));
    }
    const texts = { kept: 9000, h7: 300, 'new-one': 20_000, 'next-one': 700 };
    const large = Object.entries(texts).map(([name, size]) =>
      record(name, 'TXT', 'y'.repeat(size)),
    );
    const expected = await answerOf(whole, [...many, ...large]);
    expect(await written.create([...many, ...large])).toBe(expected);
    expect(contentOf(written.stored)).toEqual(contentOf(whole.stored));
    const begins = written.stored.connection.prepare('SELECT 1 FROM block WHERE first = ?');
    for (const name of ['kept\0', 'new-one\0']) expect(begins.get(Buffer.from(name))).toBeDefined();
    await settle(written);
  });

  it('are told and not made in a dry run', async () => {
    const all = open();
    await fill(all, isLarge);
    const before = contentOf(all.stored);
    const expected = await answerOf(all, many, dryRun);
    expect(await all.create(many, dryRun)).toBe(expected);
    expect(contentOf(all.stored)).toEqual(before);
    await settle(all);
  });

  it.each(sampleOf(refused, 4))(
    'are all refused for %s, as one command refuses them',
    async (_, bad, says) => {
      const all = open();
      await fill(all, isLarge);
      const before = contentOf(all.stored);
      const records = [...many, bad];
      const refusal = await all.stored.add(zoneName, ...records).catch((error) => error);
      expect(refusal).toMatchObject({ name: 'Problem', message: expect.stringMatching(says) });
      const { code, message } = refusal;
      await expect(all.create(records)).rejects.toMatchObject({ code, message });
      await settle(all);
      const [blocks, places] = contentOf(all.stored) as unknown[];
      expect([blocks, places]).toEqual((before as unknown[]).slice(0, 2));
    },
  );

  it('let others change the zone, and each other, and lose nothing', async () => {
    const all = open();
    const { stored } = all;
    await fill(all, isLarge);
    // Those at an owner that is there would have another TTL than it, once the zone's is another.
    const one = many.filter(({ name }) => !/^H7$/.test(name));
    const two = one.map((each) => ({ ...each, name: `second-${each.name.replace('@', 'x')}` }));
    two[two.length - 1] = record('second', 'A', '192.0.2.1');
    let isRunning = true;
    let made = 0;
    const beside = (async () => {
      while (isRunning) await stored.add(zoneName, record(`beside-${made++}`, 'A', '192.0.2.1'));
    })();
    const settings = stored.run({ kind: 'update-zone', zoneName, defaultTtl: 1234 });
    const started = [all.create(one), all.create(two)];
    const texts = await Promise.all(started);
    isRunning = false;
    await Promise.all([beside, settings]);
    expect(texts.map((text) => JSON.parse(text).records.length)).toEqual([one.length, one.length]);
    const zone = stored.zones.byName(zoneName)!;
    expect(zone.recordCount).toBe(6 + (isLarge ? 5000 : 0) + 2 * one.length + made);
    await settle(all);
  });
});

it('tell callers with narrower rights what they may do with each, and others nothing', async () => {
  const all = open();
  await fill(all, false);
  const grant = { id: 1, roleId: 1, zoneId: null, recordTypes: '*', createdAt: 0 } as const;
  const actions = ['record:create', 'record:read', 'record:delete'] as const;
  const some = new Rights([
    compileGrant({ ...grant, actions: actions.slice(0, 2), recordNamePattern: '*' }),
    compileGrant({ ...grant, actions: actions.slice(2), recordNamePattern: 'h7' }),
  ]);
  const whole = new Rights([compileGrant({ ...grant, actions, recordNamePattern: '*' })]);
  for (const rights of [some, whole]) {
    const told = await answerIn(await all.begin(many, dryRun, rights));
    const expected = await answerOfCommand(all.stored, zoneName, many, dryRun, rights);
    expect(told).toEqual(JSON.parse(expected));
    expect(told.records[1].actions).toEqual(['record:read', 'record:delete']);
  }
  const narrow = new Rights([compileGrant({ ...grant, actions, recordNamePattern: 'h7' })]);
  await expect(all.begin(many, dryRun, narrow)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(all.begin(many, apiOptions, new Rights([]))).rejects.toMatchObject({
    code: 'ZONE_NOT_FOUND',
  });
});

it('show callers of what they may not read only what they wrote', async () => {
  const all = open();
  await fill(all, false);
  const grant = { id: 1, roleId: 1, zoneId: null, recordTypes: 'A', createdAt: 0 } as const;
  const create = { ...grant, actions: ['record:create'], recordNamePattern: '*' } as const;
  const mine = many.filter(({ type }) => type === 'A');
  const narrow = new Rights([compileGrant(create)]);
  const { diff, added } = await answerIn(await all.begin(mine, apiOptions, narrow));
  expect(added).toBe(mine.length);
  expect(diff.summary).toEqual({ added: diff.entries.length, changed: 0, removed: 0 });
  const seven = diff.entries.find(({ name }: { name: string }) => name === 'h7.example.com.');
  expect(seven).toMatchObject({ change: 'added', from: [] });
  await settle(all);
});

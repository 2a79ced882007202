/** Very many new records at once: staged little by little, and the same as one command would make. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openPolicy } from '../support/destination.ts';
import { Importer } from '../../src/background/import/importer.ts';
import { fullRights } from '../../src/domain/access/rights.ts';
import type { RecordInput } from '../../src/domain/record.ts';
import { StageStore } from '../../src/projection/stage-store.ts';
import { InProcessService } from '../support/in-process.ts';
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
  const stored = openStoredZones({ durable: false });
  closing.push(() => stored.close());
  const { writer, zones } = stored;
  const stages = new StageStore(stored.connection);
  const importer = new Importer(
    {
      writer,
      zones,
      outbound: openPolicy(),
      clock: () => Date.now(),
      workers: stored.workers,
    },
    {
      defaultTtl: 3600,
      transferTimeoutMs: 1000,
      transferMaxRecords: 1000,
      transferMaxBytes: 1e6,
    },
  );
  const create = async (records: readonly RecordInput[], options = apiOptions) =>
    answerIn(await importer.create({ zoneName, records }, fullRights, options));
  return { stored, importer, stages, create };
}

/** In no order, some at owners that are there, some beside each other. */
const many = Array.from({ length: 4000 }, (_, index) => {
  const name = `h${(index * 7) % 3900}.g${index % 3}`;
  return index % 10 === 3
    ? record(name, 'TXT', `text ${index}`, { ttl: 60 })
    : record(name, 'A', `10.0.${index >> 8}.${index & 255}`);
});

async function fill({ stored }: ReturnType<typeof open>): Promise<void> {
  await stored.zone(zoneName, { apexNs: true });
  const here = ['h7.g1', 'kept', '*.wild', 'zz'].map((name) => record(name, 'A', '192.0.2.7'));
  await stored.add(zoneName, ...here, record('h14.g2', 'MX', 'mail.example.net.'));
}

function contentOf({ connection }: StoredZones): unknown {
  const content = '(SELECT content FROM zone)';
  const blocks = `SELECT first, count, user_count, records FROM block
    WHERE content = ${content} ORDER BY first`;
  const places = 'SELECT * FROM record ORDER BY id';
  return [blocks, places].map((query) => connection.prepare(query).raw().all());
}

describe('very many new records', () => {
  it('are made as one command makes them, ids and all', async () => {
    const whole = open();
    const staged = open();
    await fill(whole);
    await fill(staged);
    const expected = await answerOfCommand(whole.stored, zoneName, many);
    const made = await staged.create(many);
    expect(made).toEqual(JSON.parse(expected));
    expect(contentOf(staged.stored)).toEqual(contentOf(whole.stored));
    const events = ({ stored }: typeof whole) => [...stored.journal.events()];
    const [one, other] = [events(whole), events(staged)];
    expect(other.map(({ kind, serial }) => [kind, serial])).toEqual(
      one.map(({ kind, serial }) => [kind, serial]),
    );
    expect(other.at(-1)!.delta).not.toBe(other.at(-1)!.seq);
    await settle(staged);
    // What comes after meets an ordinary zone.
    const after = await staged.stored.add(zoneName, record('after', 'A', '192.0.2.9'));
    expect(after.records[0]!.id).toBe(made.records.at(-1).id + 1);
    await staged.stored.run({ kind: 'delete-records', zoneName, name: 'h7.g1' });
    await settle(staged);
  });

  it('are told and not made in a dry run', async () => {
    const all = open();
    await fill(all);
    const whole = open();
    await fill(whole);
    const told = await all.create(many, dryRun);
    const expected = await answerOfCommand(whole.stored, zoneName, many, dryRun);
    expect(told).toEqual(JSON.parse(expected));
    expect(told.records.every(({ id }: { id: number }) => id === 0)).toBe(true);
    expect(all.stored.zones.byName(zoneName)).toMatchObject({ serial: 2, recordCount: 6 });
    await settle(all);
  });

  it.each([
    ['a value that is none', record('x', 'A', '1.2.3'), /records\[4000\]\.value/],
    ['a record that is there', record('kept', 'A', '192.0.2.7'), /already exists at kept/],
    ['one that comes twice', many[0]!, /already exists at h0\.g0/],
    ['another TTL', record('kept', 'A', '192.0.2.8', { ttl: 1 }), /share one TTL/],
    ['a CNAME beside data', record('h7.g1', 'CNAME', 'a.example.net.'), /CNAME/],
  ])('are all refused for %s, as one command refuses them', async (_, bad, says) => {
    const all = open();
    await fill(all);
    const records = [...many, bad];
    await expect(all.stored.add(zoneName, ...records)).rejects.toThrow(says);
    await expect(all.create(records)).rejects.toThrow(says);
    expect(all.stored.zones.byName(zoneName)).toMatchObject({ serial: 2, recordCount: 6 });
    await settle(all);
    expect(all.stored.connection.prepare('SELECT count(*) FROM record').pluck().get()).toBe(6);
  });

  it('let others come between, also those who change the same zone, and lose nothing', async () => {
    const all = open();
    const { stored } = all;
    await fill(all);
    const created = all.create(many);
    let isRunning = true;
    let between = 0;
    void created.finally(() => {
      isRunning = false;
    });
    while (isRunning) {
      await stored.add(zoneName, record(`live${between}`, 'A', '192.0.2.1'));
      between++;
      await sleep(1);
    }
    await created;
    expect(between).toBeGreaterThan(3);
    const { serial, recordCount } = stored.zones.byName(zoneName)!;
    expect(recordCount).toBe(6 + 4000 + between);
    expect(serial).toBe(2 + between + 1);
    await settle(all);
  });

  it('of a zone that is larger change only the blocks they fall into', async () => {
    const all = open();
    await all.stored.zone(zoneName);
    const part = (name: string, count = 5000) =>
      Array.from({ length: count }, (_, index) => record(`${name}-${index}`, 'A', '192.0.2.1'));
    await all.stored.add(zoneName, ...part('a'));
    const { connection } = all.stored;
    const content = () => connection.prepare('SELECT content FROM zone').pluck().get();
    const before = content();
    await all.create(part('b', 3500));
    expect(content()).toBe(before);
    await all.create(part('c', 9000));
    expect(content()).not.toBe(before);
    await settle(all);
  });
});

it('POST /records/bulk of very many, in a signed zone too, is one step', async () => {
  const service = new InProcessService({});
  try {
    const records = many.map(({ name, type, value, ttl }) => ({ name, type, value, ttl }));
    for (const [name, isSigned] of [
      ['plain.example', false],
      ['signed.example', true],
    ] as const) {
      await service.createZone(name);
      const parents = { parent_ns_addrs: ['127.0.0.1:9'] };
      if (isSigned) await service.call('POST', `/zones/${name}/dnssec`, parents, 201);
      const before = await service.serialOf(name);
      const answer = await service.call('POST', '/records/bulk', { zone_name: name, records }, 201);
      expect(answer).toMatchObject({ added: 4000, applied: true });
      expect(answer.records.map(({ type }: { type: string }) => type)).toEqual(
        records.map(({ type }) => type),
      );
      expect(await service.serialOf(name)).toBe(before + 1);
      const { id, name: shown } = answer.records[3999];
      expect((await service.call('GET', `/records/${id}`)).record.name).toBe(shown);
      const again = { zone_name: name, records };
      await service.refused('POST', '/records/bulk', again, 'RECORD_CONFLICT', 'already exists');
    }
    const { signatures } = await service.call('GET', '/zones/signed.example/dnssec');
    expect(signatures).toBeGreaterThan(4000);
    expect(await service.verify()).toEqual([]);
  } finally {
    await service.close();
  }
});

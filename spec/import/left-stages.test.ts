/** What a large change leaves behind is cleared away, and nothing else with it. */
import { expect, it } from 'vitest';
import { CheckpointWriter } from '../../src/background/retention/checkpoint-writer.ts';
import { verifyProjections } from '../../src/projection/rebuild.ts';
import { noLimit, type StageSlice, spanOf } from '../../src/projection/stage-store.ts';
import { bySystem } from '../../src/writer/submission.ts';
import { open, request } from '../support/staged-zones.ts';
import {
  apiOptions,
  openStoredZones,
  record,
  type StoredZones,
  temporaryFolder,
} from '../support/stored-zones.ts';

const nothing = new Uint8Array(0);
/** One empty block. */
const slice: StageSlice = {
  parts: [],
  blocks: {
    index: Uint32Array.of(0, noLimit, 0, 0, 0, 0, 0),
    keys: nothing,
    records: nothing,
    ids: nothing,
  },
  locations: undefined,
};

const hosts = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `h${from + index} 300 IN A 192.0.2.1`).join('\n');

async function clearAll({ writer, connection, journal }: StoredZones): Promise<void> {
  while (await writer.operate({ kind: 'clear-stages' }));
  const inNoZone = 'SELECT count(*) FROM block WHERE content NOT IN (SELECT content FROM zone)';
  expect(connection.prepare(inNoZone).pluck().get()).toBe(0);
  expect(verifyProjections(connection, journal)).toEqual([]);
}

it('invariant 8: a record that is made after a restart keeps its id while what was prepared goes', async () => {
  const folder = temporaryFolder();
  const before = openStoredZones({ folder, durable: false });
  await before.zone('example.com');
  const order = { kind: 'open-stage', records: 600 } as const;
  const stage = await before.writer.operate({ ...order, zoneId: 1 });
  const ofNew = await before.writer.operate({ ...order, zoneId: null });
  const locations = {
    firstId: stage.firstId,
    spans: JSON.stringify(Array(600).fill(spanOf(0, 1))),
    owners: Buffer.from('a'),
  };
  const put = { parts: [], blocks: undefined, locations };
  await before.writer.operate({ kind: 'put-slice', stage, slice: put });
  await before.close();
  const after = openStoredZones({ folder, durable: false });
  const { records } = await after.add('example.com', record('www', 'A', '192.0.2.1'));
  const { id } = records[0]!;
  expect(id).toBeGreaterThanOrEqual(ofNew.firstId + order.records);
  expect((await after.zone('example.net')).id).toBeGreaterThan(ofNew.zoneId);
  await clearAll(after);
  expect(after.records.byId(id)).toBeDefined();
  await after.close();
});

it('what comes for a stage that has ended is not written', async () => {
  const { stored } = open();
  const { writer, connection } = stored;
  await stored.zone('example.com');
  const stage = await writer.operate({ kind: 'open-stage', zoneId: 1, records: 1 });
  const clearing = writer.operate({ kind: 'clear-stages' });
  const put = writer.operate({ kind: 'put-slice', stage, slice });
  writer.endStage(stage.number);
  await Promise.all([clearing, put]);
  expect(connection.prepare('SELECT count(*) FROM stage').pluck().get()).toBe(0);
  // Neither is it written into the stage after it.
  const next = await writer.operate({ kind: 'open-stage', zoneId: 1, records: 1 });
  await writer.operate({ kind: 'put-slice', stage, slice });
  const blocks = connection.prepare('SELECT count(*) FROM block WHERE content = ?').pluck();
  expect(blocks.get(next.number)).toBe(0);
  writer.endStage(next.number);
  await clearAll(stored);
});

it('what a slice that failed half-way had brought is not written with the next', async () => {
  const { stored } = open();
  const { writer, connection } = stored;
  await stored.zone('example.com');
  const order = { kind: 'open-stage', zoneId: 1, records: 1 } as const;
  const [failing, next] = [await writer.operate(order), await writer.operate(order)];
  const locations = { firstId: failing.firstId, spans: 'no JSON', owners: nothing };
  const bad = { ...slice, locations };
  const put = writer.operate({ kind: 'put-slice', stage: failing, slice: bad });
  await expect(put).rejects.toThrow('malformed JSON');
  await writer.operate({ kind: 'put-slice', stage: next, slice });
  const blocks = connection.prepare('SELECT count(*) FROM block WHERE content = ?').pluck();
  expect([failing, next].map(({ number }) => blocks.get(number))).toEqual([0, 1]);
  for (const { number } of [failing, next]) writer.endStage(number);
  await clearAll(stored);
});

it('places that were cleared in a commit that failed are cleared again', async () => {
  const { stored, importer } = open();
  const { writer, connection } = stored;
  await stored.zone('example.com');
  await importer.run(request(hosts(200)));
  await importer.run(request(hosts(10, 1000), { mode: 'replace' }));
  connection.exec(
    `CREATE TEMP TRIGGER refuse BEFORE INSERT ON event
     WHEN new.reason = 'fails' BEGIN SELECT raise(ABORT, 'no'); END`,
  );
  const fails = { ...apiOptions, why: { reason: 'fails', reference: null } };
  const records = [record('www', 'A', '192.0.2.1')];
  for (let go = 1, isMore = true; isMore; go++) {
    const clearing = writer.operate({ kind: 'clear-stages' });
    // Places come after what the zone showed before.
    if (go === 2 || go === 4) {
      const command = { kind: 'create-records', zoneName: 'example.com', records } as const;
      await expect(stored.run(command, fails)).rejects.toThrow('no');
    }
    isMore = await clearing;
  }
  await clearAll(stored);
});

it('history that the clearing has forgotten first takes no other stage with it', async () => {
  const { stored, importer } = open();
  const { writer, connection, file } = stored;
  await stored.zone('example.com');
  for (let index = 0; index < 60; index++) {
    await stored.add('example.com', record(`w${index}`, 'A', '192.0.2.1'));
  }
  const checkpoints = new CheckpointWriter({ writer, file });
  await checkpoints.write(1, bySystem);
  checkpoints.close();
  const upToSeq = stored.journal.head().seq - 1;
  const drop = { kind: 'drop-history', zoneId: 1, upToSeq, dropped: 'steps' } as const;
  const { left, begun } = await writer.operate({ ...drop, begun: undefined });
  expect(left).toBe('some');
  while (await writer.operate({ kind: 'clear-stages' }));
  const stages = () => connection.prepare('SELECT number FROM stage').pluck().all();
  const running = importer.run(request(hosts(3000), { mode: 'replace' }));
  await expect.poll(stages, { interval: 1 }).toEqual([begun]);
  await writer.operate({ ...drop, begun });
  expect(stages()).toEqual([begun]);
  await running;
  await clearAll(stored);
});

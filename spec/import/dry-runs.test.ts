/** Dry runs of large changes of a zone that others change meanwhile. */
import { describe, expect, it } from 'vitest';
import { fullRights } from '../../src/domain/access/rights.ts';
import { VersionQueries } from '../../src/query/version-queries.ts';
import { InProcessService } from '../support/in-process.ts';
import {
  answerIn,
  hosts,
  open,
  request,
  type StagedZones,
  settle,
} from '../support/staged-zones.ts';
import { dryRun, record } from '../support/stored-zones.ts';

const zoneName = 'example.com';

/** Serial 2 has twenty hosts, and serial 3 one more record. */
async function begin(): Promise<StagedZones> {
  const made = open();
  await made.stored.zone(zoneName);
  await made.importer.run(request(hosts(20).join('\n')));
  await made.stored.add(zoneName, record('more', 'A', '192.0.2.1'));
  return made;
}

/** Changes the zone whenever a dry run is planned and not yet judged, so many times; counts what it sees. */
function movedMeanwhile({ stored }: StagedZones, times: number) {
  const { writer } = stored;
  const seen = { judged: 0, held: 0 };
  const submit = writer.submit.bind(writer);
  writer.submit = async (command, options) => {
    if (options.dryRun && seen.judged++ < times && seen.held === 0) {
      await stored.add(zoneName, record(`live${seen.judged}`, 'A', '192.0.2.1'));
    }
    return submit(command, options);
  };
  const hold = writer.hold.bind(writer);
  writer.hold = (name) => {
    seen.held++;
    return hold(name);
  };
  return seen;
}

const ways = {
  async import({ importer }: StagedZones) {
    const content = hosts(10).join('\n');
    const result = await importer.run(request(content, { mode: 'replace', options: dryRun }));
    return result.summary.deleted;
  },
  async rollback({ stored, importer }: StagedZones) {
    const zone = stored.zones.byName(zoneName)!;
    const { settings } = new VersionQueries(stored.connection).get(zone, 1)!;
    const asked = { zone, targetSerial: 1, settings, rights: fullRights, options: dryRun };
    return (await importer.rollBack(asked)).newSerial;
  },
  async revert({ stored, importer }: StagedZones) {
    const zone = stored.zones.byName(zoneName)!;
    const target = { serial: 2, isUndo: true };
    const asked = { zone, target, settings: undefined, rights: fullRights, options: dryRun };
    return (await importer.revert(asked)).zone.serial;
  },
  async insert({ importer }: StagedZones) {
    const records = Array.from({ length: 30 }, (_, at) => record(`n${at}`, 'A', '192.0.2.1'));
    const told = await importer.create({ zoneName, records }, fullRights, dryRun);
    return (await answerIn(told)).added;
  },
};

describe.each([
  ['an import', ways.import, 13, 14],
  ['a rollback', ways.rollback, 6, 7],
  ['a revert', ways.revert, 6, 7],
  ['a bulk insert', ways.insert, 30, 30],
] as const)('a dry run of %s', (_, run, afterTwo, afterThree) => {
  it('is planned again when the zone moves, and no change waits for it', async () => {
    const made = await begin();
    const seen = movedMeanwhile(made, 2);
    expect(await run(made)).toBe(afterTwo);
    expect(seen).toEqual({ judged: 3, held: 0 });
    expect(made.stored.zones.byName(zoneName)).toMatchObject({ serial: 5, recordCount: 23 });
    await settle(made);
  });

  it('has others wait once where the zone never stands still', async () => {
    const made = await begin();
    const seen = movedMeanwhile(made, Number.POSITIVE_INFINITY);
    expect(await run(made)).toBe(afterThree);
    expect(seen).toEqual({ judged: 4, held: 1 });
    await settle(made);
  });
});

describe('the difference in a dry run of what is large', () => {
  const hostCount = 3100;

  /** A zone whose serial 2 has all hosts: one goes before a dry run is judged, and one right after. */
  async function movingZone(): Promise<InProcessService> {
    const service = new InProcessService();
    await service.createZone(zoneName);
    const records = Array.from({ length: hostCount }, (_, at) =>
      record(`h${at}`, 'A', '192.0.2.1'),
    );
    await service.call('POST', `/zones/${zoneName}/records/bulk`, { records });
    const { writer } = service;
    const submit = writer.submit.bind(writer);
    const remove = (name: string) =>
      submit({ kind: 'delete-records', zoneName, name }, { ...dryRun, dryRun: false });
    let judged = 0;
    writer.submit = async (command, options) => {
      if (!options.dryRun) return submit(command, options);
      if (judged++ === 0) await remove('h0');
      const outcome = await submit(command, options);
      if (judged === 2) await remove('h1');
      return outcome;
    };
    return service;
  }

  it.each([
    ['a rollback', `/zones/${zoneName}/rollback`, { serial: 1 }, { new_serial: 4 }],
    ['an undo', 'revert', {}, { serial: 4 }],
  ] as const)('of %s is that of the serial it was planned at', async (_, way, body, told) => {
    const service = await movingZone();
    try {
      const { items } = await service.call('GET', `/events?zone=${zoneName}&order=desc&limit=1`);
      const path = way === 'revert' ? `/events/${items[0].seq}/revert` : way;
      const { diff, ...answer } = await service.call('POST', path, { ...body, dry_run: true });
      expect(answer).toMatchObject(told);
      const names = new Set(diff.entries.map(({ name }: { name: string }) => name));
      expect([names.has(`h0.${zoneName}.`), names.has(`h1.${zoneName}.`)]).toEqual([false, true]);
      expect(diff.summary).toEqual({ added: 0, changed: 0, removed: hostCount - 1 });
      expect(names.size).toBe(hostCount - 1);
    } finally {
      await service.close();
    }
  });
});

/** Large rollbacks: prepared in a thread, staged where no reader sees them, published by one event. */
import { describe, expect, it } from 'vitest';
import type { Prepared } from '../../src/background/import/requests.ts';
import type { RollbackOutcome } from '../../src/domain/command.ts';
import { longReads } from '../../src/query/long-reads.ts';
import { VersionQueries } from '../../src/query/version-queries.ts';
import {
  hosts,
  open,
  recordsOf,
  request,
  type StagedZones,
  settle,
} from '../support/staged-zones.ts';
import { apiOptions, dryRun, record } from '../support/stored-zones.ts';
import { fullRights } from '../../src/domain/access/rights.ts';

const zoneName = 'example.com';

/**
 * 1 the zone, 2 forty hosts, 3 some other records; then half of the hosts get another TTL, some go, one
 * moves under its id, one is made anew under another.
 */
async function makeHistory({ stored, importer }: StagedZones): Promise<void> {
  await stored.zone(zoneName);
  await importer.run(request(hosts(40).join('\n')));
  await stored.add(
    zoneName,
    record('h3', 'TXT', 'text'),
    record('@', 'TXT', 'apex'),
    record('a.b.c', 'A', '192.0.2.1'),
  );
  const file = [...hosts(30, 60), 'new IN A 192.0.2.8', 'h41 IN A 192.0.2.9'];
  await importer.run(request(file.join('\n'), { mode: 'replace' }));
  const idOf = (owner: string) =>
    [...stored.records.list(fullRights, { zoneId: 1 }, byName, all).items].find(
      ({ record: one }) => one.owner === owner,
    )!.record.id;
  await stored.writer.submit(
    { kind: 'update-record', id: idOf('h5\0'), name: 'elsewhere' },
    apiOptions,
  );
  await stored.writer.submit({ kind: 'delete-record', id: idOf('h7\0') }, apiOptions);
  await stored.add(zoneName, record('h7', 'A', '10.0.0.7', { ttl: 300 }));
}

const byName = { key: 'name', descending: false } as const;
const all = { limit: 1000, offset: 0 };

function settingsAt({ stored }: StagedZones, serial: number) {
  const zone = stored.zones.byName(zoneName)!;
  return new VersionQueries(stored.connection).get(zone, serial)!.settings;
}

function byOneCommand(made: StagedZones, targetSerial: number): Promise<RollbackOutcome> {
  const { stored } = made;
  const zone = stored.zones.byName(zoneName)!;
  const then = longReads(stored.connection).reads.rollbackNodes(
    zone,
    { serial: targetSerial, isUndo: false },
    1000,
  )!;
  const settings = settingsAt(made, targetSerial);
  const named = { zoneName, zoneId: zone.id, targetSerial, settings };
  return stored.writer.submit(
    { kind: 'rollback-zone', ...named, ...then, nodes: then.nodes! },
    apiOptions,
  );
}

function staged(
  made: StagedZones,
  targetSerial: number,
  options = apiOptions,
): Promise<Prepared<RollbackOutcome>> {
  const zone = made.stored.zones.byName(zoneName)!;
  const settings = settingsAt(made, targetSerial);
  return made.importer.rollBack({ zone, targetSerial, settings, rights: fullRights, options });
}

/** Records with their ids, which a rollback gives back. */
function identified({ stored }: StagedZones): string[] {
  const { items } = stored.records.list(fullRights, { zoneId: 1 }, byName, all);
  return items.map(({ record: { id, owner, type, ttl, rdata } }) => {
    return `${id} ${owner} ${type} ${ttl} ${rdata.toString('hex')}`;
  });
}

describe('a staged rollback', () => {
  it.each([1, 3, 6])('to serial %i does what one command does', async (serial) => {
    const one = open();
    await makeHistory(one);
    const expected = await byOneCommand(one, serial);
    const other = open();
    await makeHistory(other);
    const outcome = await staged(other, serial);

    expect(outcome.summary).toEqual(expected.summary);
    expect(outcome).toMatchObject({ moved: false, newSerial: 8, targetSerial: serial });
    expect(identified(other)).toEqual(identified(one));
    // Each id leads to its record, those that moved back too.
    expect(recordsOf(other.stored)).toEqual(recordsOf(one.stored));
    const zone = other.stored.zones.byName(zoneName)!;
    expect(zone).toMatchObject({ serial: 8, recordCount: identified(other).length });
    await settle(other);
    // And the version can be gone back to, and forth again.
    await staged(other, 7);
    await byOneCommand(one, 7);
    expect(identified(other)).toEqual(identified(one));
    await settle(other);
  });

  it('changes nothing in a dry run', async () => {
    const made = open();
    await makeHistory(made);
    const before = identified(made);
    const outcome = await staged(made, 2, dryRun);
    expect(outcome).toMatchObject({ moved: false, newSerial: 8 });
    expect(outcome.summary.added).toBeGreaterThan(0);
    expect(identified(made)).toEqual(before);
    await settle(made);
  });

  it('is planned anew when the zone moves meanwhile, and has the last word', async () => {
    const made = open();
    await makeHistory(made);
    const then = staged(made, 2);
    const others = Array.from({ length: 20 }, (_, index) =>
      made.stored.add(zoneName, record(`live${index}`, 'A', '192.0.2.1')),
    );
    const outcome = await then;
    await Promise.all(others);
    expect(outcome.moved).toBe(false);
    await settle(made);
  });

  it('refuses what can not stand today, and leaves nothing behind', async () => {
    const made = open();
    await makeHistory(made);
    const long = `${'l'.repeat(60)}.`.repeat(3);
    await made.stored.writer.submit(
      { kind: 'update-zone', zoneName, name: `${long}example.com` },
      apiOptions,
    );
    const zone = made.stored.zones.byName(`${long}example.com`)!;
    const settings = new VersionQueries(made.stored.connection).get(zone, 3)!.settings;
    await made.stored.add(zone.name, record('x', 'A', '192.0.2.3'));
    const now = made.stored.zones.byName(zone.name)!;
    const target = { zone: now, targetSerial: 3, settings };
    const back = { ...target, rights: fullRights, options: apiOptions };
    // All names of the version are short enough.
    expect((await made.importer.rollBack(back)).moved).toBe(false);
    await settle(made);
    await expect(made.importer.rollBack({ ...back, targetSerial: 99 })).rejects.toMatchObject({
      code: 'VERSION_NOT_FOUND',
    });
    await settle(made);
  });
});

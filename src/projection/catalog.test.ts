import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStoredZones, type StoredZones } from '../../spec/support/stored-zones.ts';
import { printRelativeName } from '../dns/name.ts';
import { unpackRecords } from '../dns/record.ts';
import { memberId } from '../domain/catalog.ts';
import { noneSeen } from '../domain/epoch.ts';
import { openDatabase } from '../journal/database.ts';
import { CatalogFold } from './catalog-fold.ts';
import { CatalogQueries } from './catalog-queries.ts';
import { rebuildProjections, verifyProjections } from './rebuild.ts';

describe('the catalog as events make it', () => {
  let stored: StoredZones;
  let catalog: CatalogQueries;
  beforeEach(() => {
    stored = openStoredZones({ durable: false });
    catalog = new CatalogQueries(stored.connection);
  });
  afterEach(() => stored.close());

  const labels = () =>
    [...catalog.members()]
      .flatMap(({ records }) => [...unpackRecords(records)])
      .map(({ owner }) => printRelativeName(owner));

  it('has a member for each enabled zone, and a step for each change of members', async () => {
    expect(catalog.state()).toEqual({ serial: 1, memberCount: 0 });
    const one = await stored.zone('one.example');
    const two = await stored.zone('two.example');
    await stored.add('one.example', { name: 'www', type: 'A', value: '192.0.2.1' });
    expect(catalog.state()).toEqual({ serial: 3, memberCount: 2 });
    const update = { kind: 'update-zone', zoneName: 'one.example' } as const;
    await stored.run({ ...update, name: 'new.example', enabled: false });
    expect(catalog.state()).toEqual({ serial: 4, memberCount: 1 });
    await stored.run({ kind: 'delete-zone', zoneName: 'new.example' });
    // It comes back as it was: disabled.
    await stored.run({ kind: 'restore-zone', name: 'new.example' });
    expect(catalog.state()).toEqual({ serial: 4, memberCount: 1 });
    await stored.run({ ...update, zoneName: 'new.example', enabled: true });
    await stored.run({ ...update, zoneName: 'two.example', name: 'three.example' });
    expect(catalog.state()).toEqual({ serial: 6, memberCount: 2 });
    const ids = [memberId('new.example', one.id), memberId('three.example', two.id)];
    expect(labels()).toEqual(ids.map((id) => `${id.toString('hex')}.zones`).sort());
    expect(catalog.changes(4)?.map(({ serial, change }) => [serial, change])).toEqual([
      [5, 'added'],
      [6, 'removed'],
      [6, 'added'],
    ]);
    expect(catalog.changes(6)).toEqual([]);
    expect(catalog.changes(0)).toBeUndefined();
    expect(catalog.changes(7)).toBeUndefined();
  });

  it('is the same bytes after a rebuild', async () => {
    for (let at = 0; at < 20; at++) await stored.zone(`z${at}.example`);
    await stored.run({ kind: 'delete-zone', zoneName: 'z3.example' });
    await stored.run({ kind: 'restore-zone', name: 'z3.example' });
    const before = [catalog.state(), labels(), catalog.changes(1)];
    expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
    rebuildProjections(stored.connection, stored.journal);
    expect([catalog.state(), labels(), catalog.changes(1)]).toEqual(before);
  });

  it('goes on far beyond in a new epoch, and tells no step that leads there', async () => {
    await stored.zone('one.example');
    await stored.zone('two.example');
    const seen = { ...noneSeen, catalogSerial: 10 };
    await stored.run({ kind: 'begin-epoch', epoch: 2, reason: 'recover', seen });
    const serial = 10 + 65_536;
    expect(catalog.state()).toEqual({ serial, memberCount: 2 });
    expect(catalog.changes(serial)).toEqual([]);
    for (const before of [2, 3, 10, serial - 1]) expect(catalog.changes(before)).toBeUndefined();
    await stored.run({ kind: 'delete-zone', zoneName: 'two.example' });
    expect(catalog.state()).toEqual({ serial: serial + 1, memberCount: 1 });
    expect(catalog.changes(serial)?.map(({ change }) => change)).toEqual(['removed']);
    expect(catalog.changes(serial - 1)).toBeUndefined();
    expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
  });

  it('takes no step for a command that was refused or only tried', async () => {
    await stored.zone('one.example');
    await expect(stored.zone('one.example')).rejects.toThrow('exists');
    const only = { source: 'api', actor: null, requestId: null, dryRun: true } as const;
    await stored.run({ kind: 'delete-zone', zoneName: 'one.example' }, only);
    expect(catalog.state()).toEqual({ serial: 2, memberCount: 1 });
  });
});

describe('a catalog of very many members', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-'));
  const database = openDatabase(folder);
  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });

  it('keeps the latest steps, and a change costs the change', () => {
    const { connection } = database;
    const fold = new CatalogFold(connection);
    const catalog = new CatalogQueries(connection);
    const zone = (at: number) => ({ name: `zone-${at}.example`, enabled: true });
    const count = 100_000;
    connection.transaction(() => {
      for (let at = 1; at <= count; at++) fold.apply(at, null, zone(at));
    })();
    expect(catalog.state()).toEqual({ serial: count + 1, memberCount: count });
    expect(catalog.changes(count - 9_999)).toHaveLength(10_000);
    expect(catalog.changes(count - 10_000)).toBeUndefined();
    const members = [...catalog.members()];
    expect(members.reduce((sum, chunk) => sum + chunk.count, 0)).toBe(count);
    expect(Math.max(...members.map(({ records }) => records.length))).toBeLessThan(300_000);
    // Time of the processor, for the host may have other things to do.
    const before = process.cpuUsage();
    for (let at = 1; at <= 100; at++) {
      fold.apply(at, zone(at), null);
      fold.apply(at, null, zone(at));
    }
    expect(process.cpuUsage(before).user / 200).toBeLessThan(20_000);
    expect(catalog.state()).toEqual({ serial: count + 201, memberCount: count });
  });
});

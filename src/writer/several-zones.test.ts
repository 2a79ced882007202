/** One command that makes events in several zones. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  apiOptions,
  dryRun,
  everything,
  openStoredZones,
  type StoredZones,
} from '../../spec/support/stored-zones.ts';
import type { ApplyExternalDns } from '../domain/external-dns.ts';
import { verifyChain } from '../journal/verify.ts';
import { verifyProjections } from '../projection/rebuild.ts';
import type { ZoneChange } from './submission.ts';
import { fullRights } from '../domain/access/rights.ts';

let stored: StoredZones;
let published: ZoneChange[][] = [];

beforeEach(async () => {
  stored = openStoredZones({ durable: false });
  for (const name of ['one.example', 'two.example']) await stored.zone(name);
  published = [];
  stored.writer.onCommit((changes) => void published.push([...changes]));
});
afterEach(() => stored.close());

function creating(...names: string[]): ApplyExternalDns {
  const creates = names.map((name) => ({ name, type: 'A', values: ['192.0.2.1'] }));
  return { kind: 'apply-external-dns', creates, deletes: [], updates: [] };
}

const serials = () =>
  ['one.example', 'two.example'].map((name) => stored.zones.byName(name)!.serial);

it('is one commit with an event for each, told together', async () => {
  const options = { ...apiOptions, source: 'external-dns', requestId: 'r1' } as const;
  await stored.run(creating('www.two.example', 'www.one.example', 'x.two.example'), options);
  expect(serials()).toEqual([2, 2]);
  expect(published.map((changes) => changes.map(({ zone }) => zone.name))).toEqual([
    ['two.example', 'one.example'],
  ]);
  const events = [...stored.journal.events(2)];
  expect(
    events.map(({ kind, changeSource, requestId }) => [kind, changeSource, requestId]),
  ).toEqual(Array.from({ length: 2 }, () => ['records.changed', 'external-dns', 'r1']));
  const ids = ['one', 'two'].map((zone) =>
    stored.records
      .list(
        fullRights,
        { zoneId: stored.zones.byName(`${zone}.example`)!.id },
        { key: 'name', descending: false },
        { limit: 10, offset: 0 },
      )
      .items.map(({ record }) => record.id),
  );
  expect(new Set(ids.flat()).size).toBe(3);
  expect(verifyChain(stored.journal)).toMatchObject({ events: 4 });
  expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
});

it('is none of them when one is refused, and nothing in a dry run', async () => {
  const before = everything(stored.connection);
  await expect(stored.run(creating('www.one.example', 'www.none.example'))).rejects.toMatchObject({
    code: 'ZONE_NOT_FOUND',
  });
  const outcome = await stored.run(creating('www.one.example', 'www.two.example'), dryRun);
  expect(outcome).toMatchObject({
    added: 2,
    deleted: 0,
    changedZones: ['one.example', 'two.example'],
  });
  expect(everything(stored.connection)).toBe(before);
  expect(published).toEqual([]);
});

it('is none of them when writing fails half-way', async () => {
  const before = everything(stored.connection);
  // Of all that is written, only the event of the second zone can not be.
  stored.connection.exec(
    `CREATE TEMP TRIGGER refuse BEFORE INSERT ON event
     WHEN new.zone_name = 'two.example' BEGIN SELECT raise(ABORT, 'no'); END`,
  );
  await expect(stored.run(creating('www.one.example', 'www.two.example'))).rejects.toThrow('no');
  stored.connection.exec('DROP TRIGGER refuse');
  expect(everything(stored.connection)).toBe(before);
  await stored.run(creating('www.one.example', 'www.two.example'));
  expect(serials()).toEqual([2, 2]);
  expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
});

it('waits while any of its zones is held', async () => {
  const release = await stored.writer.hold('two.example');
  let isDone = false;
  const both = stored.run(creating('www.one.example', 'www.two.example')).then(() => {
    isDone = true;
  });
  await stored.run(creating('other.one.example'));
  expect([isDone, serials()]).toEqual([false, [2, 1]]);
  release();
  await both;
  expect(serials()).toEqual([3, 2]);
});

it('takes a rename back when the name that comes back is held no more', async () => {
  const before = stored.zones.byName('one.example')!;
  await stored.run({ kind: 'update-zone', zoneName: before.name, name: 'new.example' });
  const after = stored.zones.byName('new.example')!;
  const release = await stored.writer.hold(before.name);
  const settings = { before, after, isForced: false };
  const of = { zoneName: after.name, zoneId: after.id, atSerial: after.serial };
  const undo = { kind: 'revert-change', ...of, settings, conflicts: [], nodes: [] } as const;
  const undone = stored.run(undo);
  await stored.run(creating('other.two.example'));
  expect(stored.zones.byName(before.name)).toBeUndefined();
  release();
  await undone;
  expect(stored.zones.byName(before.name)).toMatchObject({ id: before.id });
});

it('waits while another of its zones is held still', async () => {
  const release = {
    'one.example': await stored.writer.hold('one.example'),
    'two.example': await stored.writer.hold('two.example'),
  };
  let isDone = false;
  const both = stored.run(creating('www.one.example', 'www.two.example')).then(() => {
    isDone = true;
  });
  for (const [name, serial] of [
    ['one.example', 2],
    ['two.example', 2],
  ] as const) {
    // Whichever zone it waited for first: nothing moves one that is held.
    const holder = { ...apiOptions, heldName: name };
    await stored.run(creating(`by-holder.${name}`), holder);
    expect([isDone, stored.zones.byName(name)!.serial]).toEqual([false, serial]);
    release[name]();
  }
  await both;
  expect(serials()).toEqual([3, 3]);
});

it('is refused to who holds one of its zones while another holds another', async () => {
  const release = await stored.writer.hold('two.example');
  const holder = { ...apiOptions, heldName: 'one.example' };
  const releaseOwn = await stored.writer.hold(holder.heldName);
  const both = creating('www.one.example', 'www.two.example');
  await expect(stored.run(both, holder)).rejects.toMatchObject({ code: 'OVERLOADED' });
  expect(serials()).toEqual([1, 1]);
  release();
  await stored.run(both, holder);
  expect(serials()).toEqual([2, 2]);
  releaseOwn();
});

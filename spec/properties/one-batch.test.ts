/**
 * The same id, and the same NSEC3 owners, several times in one commit and in the next: every command is decided
 * upon what those before it left, whether that is on disk or in memory alone.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { emptyName, keyFromLabels, parseAbsoluteName } from '../../src/dns/name.ts';
import { unpackRecords } from '../../src/dns/record.ts';
import { rrtype } from '../../src/dns/rrtype.ts';
import { denialOf } from '../../src/dnssec/denial.ts';
import { verifyProjections } from '../../src/projection/rebuild.ts';
import { createPolicies, makeKeys, signZone } from '../support/signing-mutations.ts';
import { openStoredZones, record, type StoredZones } from '../support/stored-zones.ts';

const zoneName = 'one.example';
/** Turns of the loop, most of which find commands of the turn before waiting. */
const turns = 120;

const opened: StoredZones[] = [];
afterEach(async () => {
  for (const stored of opened.splice(0)) await stored.close();
});

async function open(): Promise<StoredZones> {
  const stored = openStoredZones({ durable: false });
  opened.push(stored);
  await stored.zone(zoneName);
  return stored;
}

const nextTurn = () => new Promise(setImmediate);

function creates(stored: StoredZones, name: string): Promise<unknown> {
  return stored.add(zoneName, record(name, 'A', '192.0.2.1'));
}

function deletesAll(stored: StoredZones, name: string): Promise<unknown> {
  return stored.run({ kind: 'delete-records', zoneName, name });
}

describe('commands that touch one thing again and again', () => {
  it('an id is found where the last command left it', async () => {
    const stored = await open();
    await creates(stored, 'first');
    const outcomes: Promise<unknown>[] = [];
    for (let turn = 0; turn < turns; turn++) {
      for (const name of [`x${turn}`, `y${turn}`, `z${turn % 5}`]) {
        outcomes.push(stored.run({ kind: 'update-record', id: 1, name }));
      }
      await nextTurn();
    }
    await Promise.all(outcomes);
    const { record: moved } = stored.records.byId(1)!;
    expect(moved.owner).toBe(keyFromLabels([`z${(turns - 1) % 5}`]));
    expect(stored.zones.byName(zoneName)!.serial).toBe(2 + 3 * turns);
    expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
  });

  it('an id that is made and deleted in one batch is found in between alone', async () => {
    const stored = await open();
    const outcomes: Promise<unknown>[] = [];
    const refused: Promise<unknown>[] = [];
    for (let turn = 0; turn < turns; turn++) {
      const id = turn + 1;
      const move = (name: string) => stored.run({ kind: 'update-record', id, name });
      outcomes.push(creates(stored, `a${turn}`), move(`b${turn}`));
      // In every third turn the rest comes with the next batch.
      if (turn % 3 === 0) await nextTurn();
      outcomes.push(move(`c${turn}`), stored.run({ kind: 'delete-record', id }));
      if (turn % 3 === 1) await nextTurn();
      refused.push(move(`d${turn}`).catch((error: { code: string }) => error.code));
      if (turn % 3 === 2) await nextTurn();
    }
    await Promise.all(outcomes);
    expect(await Promise.all(refused)).toEqual(Array(turns).fill('RECORD_NOT_FOUND'));
    const { serial, recordCount } = stored.zones.byName(zoneName)!;
    expect([serial, recordCount]).toEqual([1 + 4 * turns, 0]);
    expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
  });

  it('commands that come together share a commit', async () => {
    const stored = await open();
    const commits: number[] = [];
    stored.writer.onCommit((changes) => void commits.push(changes.length));
    const names = Array.from({ length: turns }, (_, index) => `n${index}`);
    await Promise.all(names.map((name) => creates(stored, name)));
    expect(commits.reduce((sum, count) => sum + count, 0)).toBe(turns);
    // A batch that fails is decided again, command by command, which nobody would see but here.
    expect(Math.max(...commits)).toBeGreaterThan(1);
  });

  it('the chain of NSEC3 is whole whatever came and went', async () => {
    const stored = await open();
    await createPolicies(stored);
    const [key] = await makeKeys(1);
    await signZone(stored, zoneName, 'nsec3', { id: 1, ...key! });
    await Promise.all(['kept', 'n0', 'n1', 'n2', 'n3'].map((name) => creates(stored, name)));
    const outcomes: Promise<unknown>[] = [];
    for (let turn = 0; turn < turns; turn++) {
      outcomes.push(deletesAll(stored, `n${turn}`), creates(stored, `n${turn + 4}`));
      if (turn % 4 < 2) await nextTurn();
      // These are gone with one commit and back with the next.
      for (const name of ['t0', 't1', 't2', 't3']) {
        outcomes.push(turn % 2 === 0 ? creates(stored, name) : deletesAll(stored, name));
      }
      // And this within one.
      outcomes.push(deletesAll(stored, `n${turn + 1}`), creates(stored, `n${turn + 1}`));
      if (turn % 4 > 0) await nextTurn();
    }
    await Promise.all(outcomes);
    // In the order of their hashes, so that what stood before each is gone while that may not be on disk.
    const hashOf = (name: string) => denial.ownerFor(keyFromLabels([name]));
    const passing = Array.from({ length: turns }, (_, index) => `p${index}`);
    await Promise.all(passing.map((name) => creates(stored, name)));
    for (const name of passing.sort((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1))) {
      outcomes.push(deletesAll(stored, name));
      await nextTurn();
    }
    await Promise.all(outcomes);
    const names = ['kept', ...[0, 1, 2, 3].map((n) => `n${turns + n}`)];
    expect(chainOf(stored)).toEqual(chainFor(names));
    expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
  });
});

const denial = denialOf('nsec3', parseAbsoluteName(zoneName));

/** Each owner of an NSEC3 with the next one that it names. */
function chainOf({ snapshots, zones }: StoredZones): Record<string, string> {
  const snapshot = snapshots.open();
  const links: Record<string, string> = {};
  for (const { records } of snapshot.blocks(zones.byName(zoneName)!.id)) {
    for (const { owner, type, rdata } of unpackRecords(records)) {
      if (type === rrtype.NSEC3) links[owner] = denial.nextOf(rdata);
    }
  }
  snapshot.close();
  return links;
}

/** What it is for a zone of these single labels (RFC 5155 7.1): the hashes in order, the last one names the first. */
function chainFor(names: readonly string[]): Record<string, string> {
  const keys = [emptyName, ...names.map((name) => keyFromLabels([name]))];
  const owners = keys.map((key) => denial.ownerFor(key)).sort();
  return Object.fromEntries(
    owners.map((owner, index) => [owner, owners[(index + 1) % owners.length]!]),
  );
}

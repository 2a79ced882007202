/** Work of the service's own that waits for no disk, beside commands that do. */
import type { Statement } from 'better-sqlite3';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';
import type { Connection } from '../journal/database.ts';

let stored: StoredZones | undefined;
afterEach(() => stored?.close());

const [normal, full] = [1, 2];

/** How far each commit is synced from now on. */
function levelsOf(connection: Connection): unknown[] {
  const levels: unknown[] = [];
  const statements = Object.getPrototypeOf(connection.prepare('BEGIN')) as Statement;
  const run = statements.run;
  const spy = vi.spyOn(statements, 'run').mockImplementation(function (this: Statement, ...bound) {
    if (this.source === 'COMMIT') levels.push(connection.pragma('synchronous', { simple: true }));
    return run.apply(this, bound);
  });
  onTestFinished(() => spy.mockRestore());
  return levels;
}

/** Without those that follow their like: on a slow host a commit may end early. */
function runsOf(levels: readonly unknown[]): unknown[] {
  return levels.filter((level, index) => index === 0 || level !== levels[index - 1]);
}

const wait = { kind: 'wait' } as const;
const reserve = { kind: 'reserve-ids', counter: 'record', count: 1 } as const;

describe('what is prepared', () => {
  it('is committed by itself and unsynced, and commands are synced as ever', async () => {
    stored = openStoredZones();
    const { writer, connection } = stored;
    await stored.zone('example.com');
    const levels = levelsOf(connection);
    await Promise.all([
      writer.operate(wait),
      writer.operate(wait),
      stored.add('example.com', record('a', 'A', '192.0.2.1')),
      writer.operate(reserve),
      writer.operate(wait),
      writer.operate(reserve),
    ]);
    expect(runsOf(levels)).toEqual([normal, full, normal, full]);
    expect(stored.zones.byName('example.com')).toMatchObject({ serial: 2 });
  });

  it('fails alone, and what comes after is synced', async () => {
    stored = openStoredZones();
    const { writer, connection } = stored;
    const stage = await writer.operate({ kind: 'open-stage', zoneId: 1, records: 1 });
    const locations = { firstId: 1, spans: 'no JSON', owners: Buffer.alloc(0) };
    const slice = { parts: [], blocks: undefined, locations };
    const failing = writer.operate({ kind: 'put-slice', stage, slice });
    const other = writer.operate(wait);
    await expect(failing).rejects.toThrow('malformed JSON');
    expect(await other).toBeUndefined();
    const levels = levelsOf(connection);
    expect(await writer.operate(reserve)).toEqual({ first: 2, end: 3 });
    expect(runsOf(levels)).toEqual([full]);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../journal/database.ts';
import { ActivityStore, type TransferEntry, TransferLog } from '../projection/activity-log.ts';
import { noTransfers, TransferQueries } from './transfer-queries.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-'));
const database = openDatabase(folder);
let log: TransferLog;
let queries: TransferQueries;
beforeAll(() => {
  log = new TransferLog(async (entries) =>
    database.connection.transaction(() =>
      new ActivityStore(database.connection).putTransfers(entries),
    )(),
  );
  queries = new TransferQueries(database.connection, log);
});
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const four = '192.0.2.53';
const six = '2001:db8::53';

function entry(zoneName: string, address: string, at: number, incremental: boolean): TransferEntry {
  const size = { bytes: null, tookMs: null };
  const outcome = { kind: 'ixfr', result: 'ok', serial: 1, error: null } as const;
  return { zoneName, address, at, incremental, ...outcome, ...size };
}

/** An older transfer of some zones, and none of the others. */
function writeSome(): void {
  const entries = Array.from({ length: 5000 }, (_, at) => entry(`z${at}.example`, four, 0, false));
  new ActivityStore(database.connection).putTransfers(
    entries.filter(({ zoneName }) => /[1-5]\./.test(zoneName)),
  );
}

describe('transfers of a secondary with two addresses', () => {
  it.each([
    ['not', () => {}],
    ['half', () => writeSome()],
    ['all', () => log.flush()],
  ])('are counted once a zone, by the latest of both, %s written', async (_, write) => {
    // More than one slice, zones at its border included.
    for (let at = 0; at < 5000; at++) {
      const zone = `z${at}.example`;
      log.record(entry(zone, four, at, at % 2 === 0));
      if (at % 3 === 0) log.record(entry(zone, six, at + 1, true));
      log.record(entry(zone, '192.0.2.99', at, false));
    }
    await write();
    const addresses = [four, six];
    const summary = await queries.summary({ addresses });
    const delta = Array.from({ length: 5000 }, (_, at) => at).filter(
      (at) => at % 2 === 0 || at % 3 === 0,
    ).length;
    expect(summary).toEqual({
      ...noTransfers,
      zones: 5000,
      ixfrDelta: delta,
      ixfrFull: 5000 - delta,
    });
    expect(await queries.summary({ addresses: [] })).toEqual(noTransfers);
    const one = { addresses, zoneName: 'z3.example' };
    expect(await queries.summary(one)).toEqual({ ...noTransfers, zones: 1, ixfrDelta: 1 });
    expect(queries.list(one, 10).map(({ address }) => address)).toEqual([six, four]);
    expect(queries.list({ addresses }, 3).map(({ at }) => at)).toEqual([4999, 4999, 4998]);
  });

  it('are seen as soon as they are recorded', async () => {
    const other = '192.0.2.54';
    expect(queries.latest([other], 'fresh.example')).toBeUndefined();
    log.record(entry('fresh.example', other, 9999, false));
    expect(queries.latest([other], 'fresh.example')).toMatchObject({
      at: 9999,
      incremental: false,
    });
  });

  it('keep their size when they are written, until the service ends', async () => {
    const other = '192.0.2.55';
    log.record({ ...entry('sized.example', other, 1, false), bytes: 412, tookMs: 3 });
    await log.flush();
    const known = { zoneName: 'sized.example', bytes: 412, tookMs: 3 };
    expect(queries.latest([other])).toMatchObject(known);
    const later = new TransferQueries(database.connection, new TransferLog(async () => {}));
    const unknown = { bytes: null, tookMs: null };
    expect(later.latest([other])).toMatchObject({ ...known, ...unknown });
    expect(later.latest([])).toBeUndefined();
  });
});

/** Case 119: parts of deltas with a changed byte, read with and without the identities of their records. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';
import { StoredDamage } from './damage.ts';
import { PartCheck, PartQuery } from './delta-row.ts';

interface Row {
  readonly place: number;
  readonly records: Buffer;
  readonly ids: Buffer;
}

const forms = ['packed', 'whole'] as const;
type Form = (typeof forms)[number];

let stored: StoredZones;
let row: Row;

beforeAll(async () => {
  stored = openStoredZones({ durable: false });
  await stored.zone('example');
  await stored.add('example', record('www', 'A', '192.0.2.1'));
  // An event of no zone has no parts, and a payload that tells of none.
  await stored.run({ kind: 'create-role', name: 'readers' });
  stored.connection.exec('DROP TRIGGER event_delta_no_update');
  row = stored.connection.prepare('SELECT place, records, ids FROM event_delta').get() as Row;
});
afterAll(() => stored.close());

/** The part by each of the ways to read one, after a byte of a column was changed. */
function readHarmed(form: Form, column: 'records' | 'ids'): (() => unknown)[] {
  const harmed = Buffer.from(row[column]);
  harmed[harmed.length - 1]! ^= 1;
  write(column, harmed);
  const query = new PartQuery(stored.connection, form, 'WHERE place = ?');
  return [
    () => query.get(row.place),
    () => query.all(row.place)[0],
    () => [...query.iterate(row.place)][0],
  ];
}

function write(column: 'records' | 'ids', bytes: Buffer): void {
  stored.connection
    .prepare(`UPDATE event_delta SET ${column} = ? WHERE place = ?`)
    .run(bytes, row.place);
}

describe.each(forms)('case 119: a part that is read %s', (form) => {
  it('is refused when its records were changed', () => {
    try {
      for (const read of readHarmed(form, 'records')) expect(read).toThrow(StoredDamage);
    } finally {
      write('records', row.records);
    }
  });
});

describe('case 119: a part whose identities were changed', () => {
  it('is refused where they are read', () => {
    try {
      for (const read of readHarmed('whole', 'ids')) expect(read).toThrow(StoredDamage);
    } finally {
      write('ids', row.ids);
    }
  });

  it('is given without them, since its records are what was written', () => {
    try {
      for (const read of readHarmed('packed', 'ids')) {
        expect(read()).toMatchObject({ place: row.place, records: row.records, ids: null });
      }
    } finally {
      write('ids', row.ids);
    }
  });
});

describe('case 119: a part that a condition on its columns would leave out or miscount', () => {
  const harms: [string, string, string][] = [
    ['another layer', 'event_delta', 'layer = 1 - layer'],
    ['the other half', 'event_delta', 'change = 1 - change'],
    ['the number of another event', 'event_delta', 'place = place + 65536 * 5'],
    ['another number of records', 'event_delta', 'count = count + 1'],
    [
      'a payload that tells of other records',
      'event',
      `payload = replace(payload, '"added":1', '"added":3')`,
    ],
    ['a payload that is no JSON', 'event', 'payload = substr(payload, 2)'],
    ['another number of parts', 'event', 'parts = parts + 1'],
  ];

  it('is given where nothing was changed', () => {
    expect(() => checkAll(new PartCheck(stored.connection))).not.toThrow();
  });

  it.each(harms)('is refused before anybody reads it: %s', (_, table, harm) => {
    const { connection } = stored;
    const check = new PartCheck(connection);
    connection.exec('BEGIN');
    try {
      if (table === 'event') dropGuards();
      connection.exec(
        `UPDATE ${table} SET ${harm} WHERE ${table === 'event' ? 'seq = 2' : 'true'}`,
      );
      expect(() => check.requireChanges(1, 0, 9)).toThrow(StoredDamage);
      expect(() => check.requireEvents(0, 9)).toThrow(StoredDamage);
      expect(() => check.requireEvent(2)).toThrow(StoredDamage);
      expect(() => check.requireEvent(1)).not.toThrow();
    } finally {
      connection.exec('ROLLBACK');
    }
  });

  it('is refused of generated records that no layer has any more', () => {
    const { connection } = stored;
    const check = new PartCheck(connection);
    const other = 'change, 1, count, checksum, ids_checksum, records, ids, zone_id, owner, type';
    connection.exec('BEGIN');
    try {
      dropGuards();
      connection.exec(
        `INSERT INTO event_delta (place, ${other.replace('1', 'layer')})
         SELECT max(place) + 1, ${other} FROM event_delta;
         UPDATE event SET parts = parts + 1 WHERE seq = 2`,
      );
      expect(() => checkAll(check)).not.toThrow();
      connection.exec('UPDATE event_delta SET layer = 3 WHERE layer = 1');
      expect(() => check.requireChanges(1, 0, 9)).toThrow(StoredDamage);
      expect(() => check.requireEvent(2)).toThrow(StoredDamage);
    } finally {
      connection.exec('ROLLBACK');
    }
  });

  function checkAll(check: PartCheck): void {
    check.requireChanges(1, 0, 9);
    check.requireEvents(0, 9);
  }

  /** What keeps events from being changed, and indexes that would not take what is no JSON. */
  function dropGuards(): void {
    const { connection } = stored;
    connection.exec('DROP TRIGGER event_no_update');
    const ofPayload = `SELECT name FROM sqlite_schema
      WHERE type = 'index' AND tbl_name = 'event' AND sql LIKE '%payload%'`;
    for (const name of connection.prepare(ofPayload).pluck().all()) {
      connection.exec(`DROP INDEX ${name}`);
    }
  }
});

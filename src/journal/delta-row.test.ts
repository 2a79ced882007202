/** Case 119: parts of deltas with a changed byte, read with and without the identities of their records. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';
import { StoredDamage } from './damage.ts';
import { PartQuery } from './delta-row.ts';

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

/** Locations of records against a plain map: whatever a commit changes, and however often it is written or forgotten. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openStoredZones } from '../../spec/support/stored-zones.ts';
import { keyFromLabels } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { RecordIndex } from './record-index.ts';

const ids = [1, 2, 3, 4];
const owner = fc.constantFrom('a', 'b', 'c');
/** A change says for some ids where they stand afterwards, or that they stand nowhere. */
const change = fc.uniqueArray(fc.tuple(fc.constantFrom(...ids), fc.option(owner)), {
  selector: ([id]) => id,
});
const action = fc.oneof(
  { weight: 6, arbitrary: change },
  fc.constantFrom('flush' as const, 'forget' as const),
);

const recordOf = (id: number, name: string): ZoneRecord => ({
  id,
  owner: keyFromLabels([name]),
  type: rrtype.A,
  ttl: 60,
  rdata: Buffer.alloc(4),
  createdAt: 0,
});

it('places are those of the last change, read before and after they are written', () => {
  const stored = openStoredZones({ durable: false });
  const clear = stored.connection.prepare('DELETE FROM record');
  const rows = stored.connection.prepare('SELECT id, zone_id FROM record ORDER BY id');
  fc.assert(
    fc.property(fc.array(action, { maxLength: 12 }), fc.boolean(), (actions, readsAlways) => {
      clear.run();
      const places = new RecordIndex(stored.connection);
      let written = new Map<number, string>();
      let now = new Map<number, string>();
      const placeOf = (id: number) => {
        const name = now.get(id);
        return name === undefined ? undefined : { zoneId: 7, owner: keyFromLabels([name]) };
      };
      const expectAll = () =>
        expect(ids.map((id) => places.byId(id))).toEqual(ids.map((id) => placeOf(id)));
      for (const each of actions) {
        if (each === 'flush') {
          places.flush();
          written = new Map(now);
        } else if (each === 'forget') {
          // As after a transaction that is rolled back: its rows are gone as well.
          places.forget();
          clear.run();
          for (const [id, name] of written) places.apply(7, [], [recordOf(id, name)]);
          places.flush();
          now = new Map(written);
        } else {
          const removed = each.flatMap(([id]) => (now.has(id) ? [recordOf(id, now.get(id)!)] : []));
          const added = each.flatMap(([id, name]) => (name === null ? [] : [recordOf(id, name)]));
          places.apply(7, removed, added);
          for (const [id, name] of each) {
            if (name === null) now.delete(id);
            else now.set(id, name);
          }
        }
        if (readsAlways) expectAll();
      }
      expectAll();
      places.flush();
      expect(rows.all()).toEqual([...now.keys()].sort().map((id) => ({ id, zone_id: 7 })));
      expectAll();
    }),
    { numRuns: 100 },
  );
  stored.close();
});

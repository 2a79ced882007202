import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packRecords, unpackRecords } from '../../src/dns/record.ts';
import { verifyProjections } from '../../src/projection/rebuild.ts';
import { blockOwners } from '../support/mutations.ts';
import { openStoredZones, record, runs } from '../support/stored-zones.ts';
import { testCut } from '../support/test-database.ts';

const zoneName = 'sizes.example';

/** Owners that begin a block with any records, and owners beside them that only do when they are large. */
const owners = ['@', 'b', 'c', 'm', 'n', 'o', 'w', 'x', ...blockOwners.slice(0, 2)];

/** Bytes of texts: two of the largest ones make an owner begin a block, and so do many of the others together. */
const sizes = [1, 300, 700, 3000, 9000];

/** A text at an owner comes when it is not there, and goes when it is. */
const turn = fc.record({
  owner: fc.constantFrom(...owners),
  size: fc.constantFrom(...sizes),
  number: fc.nat({ max: 2 }),
});

it('invariant 2: blocks begin where a rebuild has them begin, while owners become large and small', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(turn, { minLength: 1, maxLength: 5 }), { minLength: 5, maxLength: 25 }),
      async (commits) => {
        const stored = openStoredZones({ durable: false });
        try {
          await stored.zone(zoneName);
          const ids = new Map<string, number>();
          for (const turns of commits) {
            const commands = turns.map(async ({ owner, size, number }) => {
              const key = `${owner} ${size} ${number}`;
              const id = ids.get(key);
              ids.delete(key);
              if (id !== undefined) return void (await stored.run({ kind: 'delete-record', id }));
              const text = `${number}${'x'.repeat(size)}`;
              const { records } = await stored.add(zoneName, record(owner, 'TXT', text));
              ids.set(key, records[0]!.id);
            });
            await Promise.allSettled(commands);
          }
          const rows = stored.connection.prepare('SELECT first, records FROM block').all();
          for (const { first, records } of rows as { first: Buffer; records: Buffer }[]) {
            const there = Map.groupBy(unpackRecords(records), ({ owner }) => owner);
            for (const [owner, all] of there) {
              const begins = testCut.begins(owner, packRecords(all).length);
              expect([owner, begins]).toEqual([owner, owner === first.latin1Slice()]);
            }
          }
          expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
        } finally {
          await stored.close();
        }
      },
    ),
    { numRuns: runs(15) },
  );
});

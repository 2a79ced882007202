import { expect, it } from 'vitest';
import { parseAbsoluteName } from '../dns/name.ts';
import { fullRights } from './access/rights.ts';
import type { DecisionContext } from './decision.ts';
import type { ZoneRecord } from './record.ts';
import { WorkingSet } from './working-set.ts';
import type { Zone } from './zone.ts';

it('a new owner may hold more records than a call takes arguments', () => {
  const owner = parseAbsoluteName('many');
  const context = {
    view: { recordsAt: () => [] },
    rights: fullRights,
  } as unknown as DecisionContext;
  const work = new WorkingSet(context, { id: 1, name: 'example.com', recordCount: 0 } as Zone);
  const records = Array.from({ length: 200_000 }, (_, id): ZoneRecord => {
    const rdata = Buffer.alloc(4);
    rdata.writeUInt32BE(id);
    // No RRset may be larger than a message.
    return { id, owner, type: 65_280 + (id % 64), ttl: 60, rdata, createdAt: 0 };
  });
  work.replace(owner, records);
  const { removed, added } = work.netChange();
  expect(removed).toEqual([]);
  expect(added).toHaveLength(200_000);
});

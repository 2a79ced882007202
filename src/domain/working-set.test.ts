import { expect, it } from 'vitest';
import { parseAbsoluteName } from '../dns/name.ts';
import { fullRights } from './access/rights.ts';
import type { DecisionContext } from './decision.ts';
import type { ZoneRecord } from './record.ts';
import { WorkingSet } from './working-set.ts';
import type { Zone } from './zone.ts';

it('an owner that was stored before it had a limit may have more records than a call takes arguments', () => {
  const owner = parseAbsoluteName('many');
  const records = Array.from({ length: 200_000 }, (_, id): ZoneRecord => {
    const rdata = Buffer.alloc(4);
    rdata.writeUInt32BE(id);
    // No RRset may be larger than a message.
    return { id, owner, type: 65_280 + (id % 64), ttl: 60, rdata, createdAt: 0 };
  });
  const context = {
    view: { recordsAt: () => records },
    rights: fullRights,
  } as unknown as DecisionContext;
  const zone = { id: 1, name: 'example.com', recordCount: records.length } as Zone;
  const work = new WorkingSet(context, zone);
  work.replace(owner, records.slice(1));
  expect(work.netChange()).toMatchObject({ removed: [records[0]], added: [] });
  work.replace(owner, []);
  const { removed, added } = work.netChange();
  expect(removed).toHaveLength(200_000);
  expect(added).toEqual([]);
});

import { afterEach, expect, it, vi } from 'vitest';
import { clear, closeKept, kinds, msPerDay, openKept } from '../../../spec/support/kept-zones.ts';
import { record } from '../../../spec/support/stored-zones.ts';

afterEach(closeKept);

it('a checkpoint of a large zone ends with its next parts when the service stops', async () => {
  const all = openKept();
  const { stored, retention } = all;
  const { writer } = stored;
  const name = 'large.example';
  await stored.zone(name);
  const records = Array.from({ length: 4000 }, (_, at) => record(`n${at}`, 'TXT', 'x'.repeat(100)));
  await stored.add(name, ...records);
  all.now += 1000;
  await stored.run({ kind: 'delete-records', zoneName: name, name: 'n1' });
  all.now += 11 * msPerDay;
  const operate = writer.operate.bind(writer);
  let stopped: Promise<void> | undefined;
  const operating = vi.spyOn(writer, 'operate').mockImplementation((operation) => {
    if (operation.kind === 'put-slice') stopped ??= retention.stop();
    return operate(operation);
  });
  await retention.run();
  await stopped;
  const slices = operating.mock.calls.filter(([{ kind }]) => kind === 'put-slice');
  operating.mockRestore();
  expect(slices).toHaveLength(1);
  expect(kinds(all)).not.toContain('zone.checkpointed');
  expect(all.errors).toEqual([]);
  await clear(all);
});

import { afterEach, expect, it, vi } from 'vitest';
import {
  closeKept,
  expectWhole,
  kinds,
  msPerDay,
  openKept,
} from '../../../spec/support/kept-zones.ts';
import { record } from '../../../spec/support/stored-zones.ts';

afterEach(closeKept);

it('leaves a zone that is restored and deleted anew while its purge waits, until that is old too', async () => {
  const all = openKept();
  const { stored, retention } = all;
  const { writer } = stored;
  const name = 'again.example';
  const { id } = await stored.zone(name);
  await stored.run({ kind: 'delete-zone', zoneName: name });
  all.now += 11 * msPerDay;
  // The run has listed it, and waits for another zone that is in work.
  const submit = writer.submit.bind(writer);
  const submitting = vi.spyOn(writer, 'submit').mockImplementation(async (command, options) => {
    if (command.kind !== 'purge-zone') return submit(command, options);
    submitting.mockRestore();
    await stored.run({ kind: 'restore-zone', name, id });
    await stored.add(name, record('new', 'A', '192.0.2.1'));
    await stored.run({ kind: 'delete-zone', zoneName: name });
    return submit(command, options);
  });
  await retention.run();
  expect(kinds(all).at(-1)).toBe('zone.deleted');
  expectWhole(all);
  all.now += 11 * msPerDay;
  await retention.run();
  expect(kinds(all).at(-1)).toBe('zone.purged');
  expectWhole(all);
});

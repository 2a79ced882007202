import { afterEach, expect, it } from 'vitest';
import { openStoredZones, type StoredZones } from '../../spec/support/stored-zones.ts';
import { isZoneEvent } from '../domain/event.ts';
import { KeptSecondaries, SecondaryQueries } from './named-queries.ts';

let stored: StoredZones;
afterEach(() => stored.close());

it('enabled secondaries are as they are stored, also where they are kept', async () => {
  stored = openStoredZones({ durable: false });
  const { writer, connection } = stored;
  const kept = new KeptSecondaries(connection);
  writer.onEvents((events) => {
    if (events.some(({ event }) => !isZoneEvent(event))) kept.forget();
  });
  const names = () => {
    const [read, remembered] = [new SecondaryQueries(connection), kept].map((each) =>
      each.enabled().map(({ name }) => name),
    );
    expect(remembered).toEqual(read);
    return remembered;
  };
  expect(names()).toEqual([]);
  for (const [name, address] of [
    ['two', '192.0.2.2:53'],
    ['one', '192.0.2.1:53'],
  ] as const) {
    await stored.run({ kind: 'create-secondary', name, address });
  }
  expect(names()).toEqual(['one', 'two']);
  await stored.zone('there.example');
  await stored.run({ kind: 'update-secondary', name: 'two', enabled: false });
  expect(names()).toEqual(['one']);
  await stored.run({ kind: 'delete-secondary', name: 'one' });
  expect(names()).toEqual([]);
});

import { expect, it } from 'vitest';
import { makeZone } from '../../spec/support/memory-zones.ts';
import type { Secondary } from '../domain/secondary.ts';
import { Propagation } from './propagation.ts';
import type { AskedProbe } from './prober.ts';

const addresses = ['192.0.2.53', '192.0.2.54'];
const zone = makeZone('example.com', { serial: 7 });
const secondaries = ['one', 'other'].map((name, at): Secondary => {
  return { id: at + 1, name, address: name, enabled: true, notifyKeyName: null, createdAt: 0 };
});

/** One that failed: what it does is said by answers. */
function transferOf(zoneName: string) {
  return { zoneName, address: '192.0.2.53', at: 5, result: 'failed', serial: null } as const;
}

/** Answers are given by hand: `asked` has who was asked, with the function that answers. */
function openPropagation() {
  const asked: { name: string; answer(serial: number): void }[] = [];
  const asks = { status: 'lagging', error: null, lastTransfer: null, addresses } as const;
  const ask = ({ name, address }: Secondary) =>
    new Promise<AskedProbe>((resolve) => {
      asked.push({
        name,
        answer: (visibleSerial) => resolve({ ...asks, address, visibleSerial }),
      });
    });
  const enabled = () => secondaries;
  const propagation = new Propagation({
    secondaries: { enabled },
    prober: { ask },
    clock: () => 5,
  });
  const askedOf = (which: string) => asked.filter(({ name }) => name === which);
  return { propagation, askedOf };
}

it('asks one whose answer is still awaited anew when the zone is transferred', async () => {
  const { propagation, askedOf } = openPropagation();
  const reached = propagation.reach(zone, 7, { withinMs: 300_000, owner: 'me' });
  askedOf('one')[0]!.answer(7);
  propagation.transferred(transferOf('example.net'));
  propagation.transferred(transferOf('example.com'));
  await expect.poll(() => askedOf('other').length).toBe(2);
  expect(askedOf('one')).toHaveLength(1);
  // What was asked before the transfer may still be answered, and counts no more.
  askedOf('other')[0]!.answer(6);
  askedOf('other')[1]!.answer(7);
  expect(await reached).toMatchObject([
    { name: 'one', isReached: true, how: 'probe' },
    { name: 'other', isReached: true, visibleSerial: 7 },
  ]);
});

it('asks again after an answer that came with the transfer', async () => {
  const { propagation, askedOf } = openPropagation();
  const reached = propagation.reach(zone, 7, { withinMs: 300_000, owner: 'me' });
  askedOf('one')[0]!.answer(8);
  propagation.transferred(transferOf('example.com'));
  askedOf('other')[0]!.answer(6);
  await expect.poll(() => askedOf('other').length).toBe(2);
  askedOf('other')[1]!.answer(7);
  expect((await reached).every(({ isReached }) => isReached)).toBe(true);
});

it('ends with its time, and asks each once when it has none', async () => {
  const { propagation, askedOf } = openPropagation();
  const reached = propagation.reach(zone, 7, { withinMs: 0, owner: 'me' });
  propagation.transferred(transferOf('example.com'));
  for (const name of ['one', 'other']) askedOf(name)[0]!.answer(6);
  expect(await reached).toMatchObject([{ isReached: false }, { isReached: false, seenAt: null }]);
  expect([askedOf('one').length, askedOf('other').length]).toEqual([1, 1]);
});

it('knows the transfers of each address of a secondary', async () => {
  const { propagation, askedOf } = openPropagation();
  const [first, second] = addresses as [string, string];
  const note = (zoneName: string, address: string, serial: number, at: number) =>
    propagation.transferred({ zoneName, address, serial, at, result: 'ok' });
  note('example.com', second, 6, 100);
  note('example.com', first, 6, 200);
  note('example.net', second, 7, 250);
  note('example.com', first, 7, 300);
  const reached = propagation.reach(zone, 7, { withinMs: 0, owner: 'me' });
  for (const name of ['one', 'other']) askedOf(name)[0]!.answer(7);
  const ofFirst = [6, 7].map((serial, at) => ({ serial, at: 200 + 100 * at }));
  const transfers = [ofFirst, [{ serial: 6, at: 100 }]];
  expect(await reached).toMatchObject([{ transfers }, { transfers }]);
});

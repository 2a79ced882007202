import { hourMs } from '../base/clock.ts';
import { expect, it } from 'vitest';
import { limits } from '../base/limits.ts';
import { RefusedLogins } from './refused-logins.ts';

/** A journal that can be full, and a clock. */
function setUp() {
  const journalled: unknown[] = [];
  const state = { now: 10 * hourMs, isBroken: false };
  const submit = async (command: object, { requestId }: { requestId: string | null }) => {
    if (state.isBroken) throw new Error('the disk is full');
    const { login } = command as { login: { address: string; reason: string; count: number } };
    journalled.push([login.address, login.reason, login.count, requestId]);
    return {};
  };
  const logins = new RefusedLogins(() => state.now, { submit } as never);
  return { journalled, state, logins };
}

it('has an event for an address at once, then once an hour with how many there were', async () => {
  const { journalled, state, logins } = setUp();
  logins.note('192.0.2.1', 'unknown', 'r1');
  for (let times = 0; times < 500; times++) logins.note('192.0.2.1', 'unknown', 'r2');
  logins.note('192.0.2.1', 'expired', 'r3');
  await logins.flush();
  expect(journalled).toEqual([['192.0.2.1', 'unknown', 1, 'r1']]);
  state.now += hourMs - 1;
  await logins.flush();
  expect(journalled).toHaveLength(1);
  state.now += 1;
  await logins.flush();
  expect(journalled.slice(1)).toEqual([['192.0.2.1', 'expired', 501, 'r3']]);
  state.now += hourMs;
  await logins.flush();
  logins.note('192.0.2.1', 'unknown', 'r4');
  expect(journalled.slice(2)).toEqual([['192.0.2.1', 'unknown', 1, 'r4']]);
});

it('has a limited number of events in an hour, and the others in the next', async () => {
  const { journalled, state, logins } = setUp();
  const addresses = Array.from({ length: limits.refusedLogins + 5 }, (_, at) => `192.0.2.${at}`);
  for (const address of addresses) logins.note(address, 'unknown', 'r');
  logins.note(addresses.at(-1)!, 'unknown', 'r');
  await logins.flush();
  expect(journalled).toHaveLength(limits.refusedLogins);
  state.now += hourMs;
  await logins.flush();
  expect(journalled).toHaveLength(addresses.length);
  expect(journalled.at(-1)).toEqual([addresses.at(-1), 'unknown', 2, 'r']);
});

it('begins anew where the clock was ahead and is set back', async () => {
  const { journalled, state, logins } = setUp();
  state.now += 1000 * hourMs;
  for (let at = 0; at < limits.refusedLogins; at++) logins.note(`192.0.2.${at}`, 'unknown', 'r');
  await logins.flush();
  state.now -= 1000 * hourMs;
  journalled.length = 0;
  logins.note('192.0.2.1', 'unknown', 'back');
  logins.note('192.0.2.1', 'unknown', 'soon');
  logins.note('198.51.100.1', 'unknown', 'other');
  expect(journalled).toEqual([
    ['192.0.2.1', 'unknown', 1, 'back'],
    ['198.51.100.1', 'unknown', 1, 'other'],
  ]);
});

it('loses none while the journal can not be written', async () => {
  const { journalled, state, logins } = setUp();
  state.isBroken = true;
  logins.note('192.0.2.1', 'unknown', 'r1');
  await logins.flush();
  logins.note('192.0.2.1', 'unknown', 'r2');
  state.isBroken = false;
  state.now += 60_000;
  await logins.flush();
  expect(journalled).toEqual([['192.0.2.1', 'unknown', 2, 'r2']]);
});

it('remembers a limited number of addresses', async () => {
  const { journalled, state, logins } = setUp();
  for (let at = 0; at <= limits.refusedAddresses; at++) {
    logins.note(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`, 'unknown', 'r');
  }
  // The first one is forgotten, and so is new again.
  state.now += hourMs;
  logins.note('10.0.0.0', 'unknown', 'again');
  expect(journalled.at(-1)).toEqual(['10.0.0.0', 'unknown', 1, 'again']);
});

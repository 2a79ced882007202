import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

it('begins so many requests in a turn, and the others in the next ones, in their order', async () => {
  const turns = new Turns(3);
  const begun: number[] = [];
  const ask = (first: number, count: number) => {
    for (let index = first; index < first + count; index++) turns.begin(() => begun.push(index));
  };
  ask(0, 8);
  expect(begun).toEqual([0, 1, 2]);
  await setImmediate();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
  // Whoever comes now is behind those that wait.
  ask(8, 1);
  await setImmediate();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  ask(9, 1);
  expect(begun).toHaveLength(9);
  await setImmediate();
  expect(begun).toHaveLength(10);
  await setImmediate();
  ask(10, 3);
  expect(begun).toHaveLength(13);
});

import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

it('asks no more than a few at once, each in its turn, also behind a refusal', async () => {
  const turns = new Turns(3);
  const { signal } = new AbortController();
  const order: number[] = [];
  let open = 0;
  let most = 0;
  const answers = Array.from({ length: 20 }, (_, number) =>
    turns.ask(signal, async () => {
      order.push(number);
      most = Math.max(most, ++open);
      await delay(1);
      open--;
      if (number % 4 === 0) throw new Error('refused');
      return number;
    }),
  );
  const settled = await Promise.allSettled(answers);
  expect(settled.map(({ status }) => status === 'rejected')).toEqual(
    settled.map((_, number) => number % 4 === 0),
  );
  expect(order).toEqual(order.toSorted((one, other) => one - other));
  expect(most).toBe(3);
});

it('never asks what nobody waits for any more', async () => {
  const turns = new Turns(1);
  const left = new AbortController();
  const asked: string[] = [];
  const first = turns.ask(new AbortController().signal, async () => {
    asked.push('first');
    await delay(1);
  });
  void turns.ask(left.signal, async () => void asked.push('left'));
  const last = turns.ask(new AbortController().signal, async () => void asked.push('last'));
  left.abort();
  await Promise.all([first, last]);
  expect(asked).toEqual(['first', 'last']);
});

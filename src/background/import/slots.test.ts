import { expect, it } from 'vitest';
import { Slots } from './slots.ts';

it('work waits for its places in the order of coming', async () => {
  const places = new Slots(2);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string, count: number) =>
    places.during(count, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => void ends.set(name, resolve));
    });
  const all = [work('a', 1), work('both', 2), work('b', 1), work('c', 1)];
  const end = async (name: string, then: string[]) => {
    ends.get(name)!();
    await expect.poll(() => begun).toEqual(then);
  };
  expect(begun).toEqual(['a']);
  await end('a', ['a', 'both']);
  await end('both', ['a', 'both', 'b', 'c']);
  ends.get('b')!();
  ends.get('c')!();
  await Promise.all(all);
});

it('work that fails gives its places back', async () => {
  const places = new Slots(1);
  const failing = places.during(1, () => Promise.reject(new Error('failed')));
  const after = places.during(1, async () => 'done');
  await expect(failing).rejects.toThrow('failed');
  expect(await after).toBe('done');
});

import { createHash } from 'node:crypto';

/** Whether this is a long run (`npm run test:long`), which takes in full what others take a sample of. */
export const isLong: boolean = process.env.LONG_TESTS === '1';

/** The variable with the seed of the run, by which its samples are drawn. */
export const seedVariable = 'SEED_OF_RUN';

/**
 * Of a list whose every item is a test: all in a long run, else at most `most` that the seed of the run draws, in their
 * order.
 */
export function sampleOf<Item>(items: readonly Item[], most: number): Item[] {
  if (isLong) return [...items];
  const seed = process.env[seedVariable] ?? '';
  const drawn = items
    .map((item, index) => ({ index, draw: hashOf(`${seed} ${index} ${JSON.stringify(item)}`) }))
    .toSorted((one, other) => (one.draw < other.draw ? -1 : 1))
    .slice(0, most)
    .map(({ index }) => index);
  return drawn.toSorted((one, other) => one - other).map((index) => items[index]!);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

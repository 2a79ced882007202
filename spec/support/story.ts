import { describe } from 'vitest';

/** What a suite of tests is given whose order tells a story: each goes on where the one before ended. */
export const inOrder = { shuffle: false } as const;

/** Tests of one story, in the order in which it is told. */
export function story(title: string, tests: () => void): void {
  describe(title, inOrder, tests);
}

/**
 * Tests whose order tells a story, each going on where the one before ended. All others are shuffled
 * (vitest.config.ts) and stand alone.
 */
import { describe } from 'vitest';
import { needsPeers } from './peers.ts';

const inOrder = { shuffle: false } as const;

/** `describe` for a story. */
export function story(title: string, tests: () => void): void {
  describe(title, inOrder, tests);
}

/** `needsPeers` for a story. */
export function storyWithPeers(...names: string[]): (title: string, tests: () => void) => void {
  return (title, tests) => needsPeers(...names)(title, tests, inOrder);
}

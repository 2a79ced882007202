/** What a check of a secondary means, for `secondary check` and for the doctor alike. */
import type { SecondaryCheck } from './answers.ts';

/**
 * Whether it answers and has no catalog zone: its zones are configured one by one. It refuses questions about the
 * catalog then, and NOTIFY for it, as it should.
 */
export function readsNoCatalog({ catalog }: SecondaryCheck): boolean {
  return catalog.visible_serial === null && catalog.status !== 'unreachable';
}

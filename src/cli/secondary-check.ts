/** What a check of a secondary means, for `secondary check` and for the doctor alike. */
import type { SecondaryCheck } from './answers.ts';

/** Whether it answers and shows this host no catalog. */
function showsNone({ catalog }: SecondaryCheck): boolean {
  return catalog.visible_serial === null && catalog.status !== 'unreachable';
}

/** Whether it took NOTIFY for the catalog. */
function takesCatalog({ notifies }: SecondaryCheck): boolean {
  return notifies.find(({ error }) => error === null) !== undefined;
}

/**
 * Whether it answers and has no catalog zone: its zones are configured one by one. It refuses questions about the
 * catalog then, and NOTIFY for it, as it should.
 */
export function readsNoCatalog(check: SecondaryCheck): boolean {
  return showsNone(check) && !takesCatalog(check);
}

/** Whether it takes NOTIFY for the catalog and shows it to others only, as Knot does whose acl asks for a TSIG key. */
export function hidesCatalog(check: SecondaryCheck): boolean {
  return showsNone(check) && takesCatalog(check);
}

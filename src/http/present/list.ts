/** Pages of anything as JSON (interface 2.1). */

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** What is listed to callers who may not know of anything there. */
export const nothingListed = Object.freeze({ items: [], total: 0 });

export function presentList<Item>(
  listed: { readonly items: readonly Item[]; readonly total: number },
  page: Page,
  present: (item: Item) => unknown,
) {
  const { limit, offset } = page;
  return { items: listed.items.map(present), pagination: { limit, offset, total: listed.total } };
}

/** Long runs of items, cut into lists that fit into memory. */

/** All items, at most `max` in each list. */
export function* inLists<Item>(items: Iterable<Item>, max: number): Generator<readonly Item[]> {
  let list: Item[] = [];
  for (const item of items) {
    list.push(item);
    if (list.length < max) continue;
    yield list;
    list = [];
  }
  if (list.length > 0) yield list;
}

/** Rows by pages, each read from behind the last row of the one before; the first that is not full is the last. */
export function* pagesOf<Row>(
  size: number,
  read: (last: Row | undefined) => readonly Row[],
): Generator<readonly Row[]> {
  let last: Row | undefined;
  while (true) {
    const rows = read(last);
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
    last = rows.at(-1);
  }
}

/** All items of some lists; those that follow each other and are of one kind with the first are in one list. */
export function* runsOf<Item>(
  lists: Iterable<Iterable<Item>>,
  isAlike: (first: Item, item: Item) => boolean,
): Generator<Item[]> {
  let run: Item[] = [];
  for (const list of lists) {
    for (const item of list) {
      if (run.length > 0 && !isAlike(run[0]!, item)) {
        yield run;
        run = [];
      }
      run.push(item);
    }
  }
  if (run.length > 0) yield run;
}

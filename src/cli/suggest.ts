/** What a mistyped word may have been meant as. */

/** Letters that two words differ in: changed, left out, too many, or two that stand the wrong way round. */
function distanceOf(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const changed = last[column - 1]! + (isSame ? 0 : 1);
      let cheapest = Math.min(changed, last[column]! + 1, current[column - 1]! + 1);
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (row > 1 && column > 1 && isSwapped)
        cheapest = Math.min(cheapest, beforeLast[column - 2]! + 1);
      current.push(cheapest);
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length]!;
}

/** What other programs call the commands. */
const otherWords: Readonly<Record<string, string>> = {
  add: 'create',
  new: 'create',
  remove: 'delete',
  del: 'delete',
  destroy: 'delete',
  show: 'get',
  view: 'get',
  describe: 'get',
  edit: 'update',
  modify: 'update',
  change: 'update',
};

/**
 * The name that is nearest to a word: another program has the word for it, it begins like it, or differs in a third of
 * its letters at most.
 */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const small = word.toLowerCase();
  const meant = otherWords[small];
  if (meant !== undefined && names.includes(meant)) return meant;
  const begun = names.filter((name) => small.length > 1 && name.startsWith(small));
  if (begun.length === 1) return begun[0];
  const near = names.map((name) => ({ name, distance: distanceOf(small, name) }));
  const [best] = near.toSorted((one, other) => one.distance - other.distance);
  const allowed = Math.max(1, Math.floor(small.length / 3));
  return best !== undefined && best.distance <= allowed ? best.name : undefined;
}

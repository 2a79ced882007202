/**
 * Divides items into parts that are sent one after another: a large change would hold the service up, and might take
 * longer than the controller waits. What is about one name is in one part, with its ownership.
 */

/**
 * Items that are about the same names, or names that such items share; in the order of their names, as what is close
 * together in the zone is written together. The controller sends them in no order at all.
 */
function groupsOf<Of extends { readonly names: readonly string[] }>(items: readonly Of[]): Of[][] {
  const parent = new Map<string, string>();
  const rootOf = (name: string): string => {
    let root = name;
    for (let up = parent.get(root); up !== undefined; up = parent.get(root)) root = up;
    // Names on the way point to the root from now on.
    for (let on = name; on !== root; ) {
      const up = parent.get(on)!;
      parent.set(on, root);
      on = up;
    }
    return root;
  };
  for (const { names } of items) {
    const [first = '', ...others] = names;
    for (const other of others) {
      const [one, two] = [rootOf(first), rootOf(other)];
      if (one !== two) parent.set(two, one);
    }
  }
  const groups = new Map<string, Of[]>();
  for (const item of items) {
    const root = rootOf(item.names[0] ?? '');
    const group = groups.get(root);
    if (group === undefined) groups.set(root, [item]);
    else group.push(item);
  }
  const keyed = [...groups].map(([root, group]) => ({ key: canonicalKey(root), group }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  return keyed.map(({ group }) => group);
}

/** Sorts names as zones are ordered, from the last label to the first. */
function canonicalKey(name: string): string {
  return name.split('.').reverse().join('\0');
}

/** Parts of whole groups, each of at most `size` items unless one group has more. */
export function partsOf<Of extends { readonly names: readonly string[] }>(
  items: readonly Of[],
  size: number,
): Of[][][] {
  const parts: Of[][][] = [];
  let length = size;
  for (const group of groupsOf(items)) {
    if (length + group.length > size) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)!.push(group);
    length += group.length;
  }
  return parts;
}

/** Two halves of what has more than one element. */
export function halvesOf<Of>(all: readonly Of[]): readonly [Of[], Of[]] {
  const middle = Math.ceil(all.length / 2);
  return [all.slice(0, middle), all.slice(middle)];
}

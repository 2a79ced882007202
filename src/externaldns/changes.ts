/**
 * The changes that the controller posts, as items that the service judges one by one: creations, deletions, and
 * updates, which come as two lists of the same length, pair by pair; which of them belong together, and the parts in
 * which they are sent.
 */
import { comparable, type Endpoint, parseEndpoints, recordOf } from './endpoint.ts';
import { badRequest, WebhookProblem, type Unfit, unfitFor } from './problem.ts';

/** The lists as the service calls them. */
export const itemLists = ['creates', 'deletes', 'updates'] as const;
export type ItemList = (typeof itemLists)[number];

export interface Item {
  readonly list: ItemList;
  /** What it is about; of an update the new endpoint. */
  readonly endpoint: Endpoint;
  /** Of an update: what it replaces. */
  readonly old: Endpoint | undefined;
  /** Names as they are compared: its own ones, and that of the record whose ownership it records. */
  readonly names: readonly string[];
  readonly owned: string | undefined;
}

export function parseChanges(body: unknown): Item[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest('the body must be an object with create, updateOld, updateNew and delete');
  }
  const listOf = (name: string) => {
    // Controllers before the names had their tags wrote them as Go does.
    const capitalised = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const lists = body as Readonly<Record<string, unknown>>;
    return parseEndpoints(lists[name] ?? lists[capitalised], name);
  };
  const [before, after] = [listOf('updateOld'), listOf('updateNew')];
  if (before.length !== after.length) {
    throw badRequest(`updateOld has ${before.length} endpoints, updateNew ${after.length}`);
  }
  return [
    ...listOf('create').map((endpoint) => itemOf('creates', endpoint)),
    ...listOf('delete').map((endpoint) => itemOf('deletes', endpoint)),
    ...after.map((endpoint, index) => itemOf('updates', endpoint, before[index])),
  ];
}

function itemOf(list: ItemList, endpoint: Endpoint, old?: Endpoint): Item {
  const owned = ownedRecordOf(endpoint);
  const names = new Set([endpoint, ...(old === undefined ? [] : [old])].map(nameOf));
  if (owned !== undefined) names.add(owned);
  return { list, endpoint, old, names: [...names], owned };
}

function nameOf({ dnsName }: Endpoint): string {
  return comparable(dnsName);
}

/** The record whose ownership a TXT records, where the controller says it (its label `ownedRecord`). */
function ownedRecordOf({ recordType, labels }: Endpoint): string | undefined {
  if (recordType !== 'TXT' || typeof labels !== 'object' || labels === null) return undefined;
  const { ownedRecord } = labels as Readonly<Record<string, unknown>>;
  return typeof ownedRecord === 'string' ? comparable(ownedRecord) : undefined;
}

/** Why an item can not be sent at all. */
export function unfitOf({ endpoint, old }: Item): Unfit | undefined {
  return endpoint.unfit ?? old?.unfit;
}

/** Items as the service takes them; each list in the order of the items. */
export function changesOf(items: readonly Item[]): object {
  const of = (list: ItemList) => items.filter((item) => item.list === list);
  return {
    creates: of('creates').map(({ endpoint }) => recordOf(endpoint)),
    deletes: of('deletes').map(({ endpoint }) => recordOf(endpoint)),
    updates: of('updates').map(({ endpoint, old }) => {
      return { old: recordOf(old!), new: recordOf(endpoint) };
    }),
    exclusive: true,
  };
}

/**
 * Which ownership record belongs to which endpoint: neither is written without the other.
 *
 * The txt registry of the controller puts a TXT beside every endpoint. Its name is the endpoint's with something put
 * in front of it or behind its first label, the type of the endpoint among that:
 *
 * ```
 *   default                                a-www.example.com
 *   --txt-prefix=own-                      own-a-www.example.com
 *   --txt-prefix=%{record_type}-own.       a-own.www.example.com
 *   --txt-suffix=-%{record_type}           www-a.example.com
 * ```
 * Newer controllers label the TXT with the name of its endpoint (ownedRecord); of others the names are compared. A TXT
 * whose endpoint can not be distinguished from others of that name belongs to all of them.
 */
const heritage = /^"?heritage=external-dns/;

/** Each ownership record of `items` with each endpoint that it may belong to. */
export function* ownershipIn(items: readonly Item[]): Generator<readonly [note: Item, of: Item]> {
  const keyOf = (list: string, name: string) => `${list} ${name}`;
  const { notes = [], endpoints = [] } = Object.groupBy(items, (item) =>
    isOwnership(item) ? 'notes' : 'endpoints',
  );
  const named = Map.groupBy(endpoints, ({ list, endpoint }) => keyOf(list, nameOf(endpoint)));
  for (const note of notes) {
    const name = nameOf(note.endpoint);
    for (const owned of note.owned === undefined ? candidates(name) : [note.owned]) {
      const found = named.get(keyOf(note.list, owned));
      if (found === undefined) continue;
      for (const endpoint of ofType(found, name, owned)) yield [note, endpoint];
      break;
    }
  }
}

function isOwnership({ endpoint, owned }: Item): boolean {
  if (endpoint.recordType !== 'TXT') return false;
  return owned !== undefined || endpoint.targets.some((target) => heritage.test(target));
}

/** Those whose type is in what the TXT's name has beside the endpoint's; all, when it is in none or in several. */
function ofType(found: readonly Item[], name: string, owned: string): readonly Item[] {
  if (found.length === 1) return found;
  const affix = wordsOf(name);
  for (const word of wordsOf(owned)) {
    const at = affix.lastIndexOf(word);
    if (at >= 0) affix.splice(at, 1);
  }
  const named = found.filter(({ endpoint }) => affix.includes(endpoint.recordType.toLowerCase()));
  return named.length === 1 ? named : found;
}

function wordsOf(name: string): string[] {
  return name.split(/[^a-z0-9]+/);
}

/** Names that an ownership record of this name may belong to, the longest first. */
function* candidates(name: string): Generator<string> {
  const dot = name.indexOf('.');
  const [first, rest] = dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
  // With a prefix: what comes after a hyphen or a dot.
  for (const { index } of name.matchAll(/[-.]/g)) yield comparable(name.slice(index + 1));
  // With a suffix: what comes before a hyphen of the first label, a type in front of it or not.
  const starts = [0, ...[...first.matchAll(/-/g)].map(({ index }) => index + 1)];
  for (const start of starts) {
    for (const { index } of [...first.matchAll(/-/g)].reverse()) {
      if (index > start) yield `${first.slice(start, index)}${rest}`;
    }
  }
}

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
  const groups = Map.groupBy(items, ({ names }) => rootOf(names[0] ?? ''));
  const keyed = [...groups].map(([root, group]) => ({ key: canonicalKey(root), group }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  return keyed.map(({ group }) => group);
}

/** Sorts names as zones are ordered, from the last label to the first. */
function canonicalKey(name: string): string {
  return name.split('.').reverse().join('\0');
}

/**
 * Parts of whole groups, each of at most `size` items unless one group has more; they are sent one after another: a
 * large change would hold the service up, and might take longer than the controller waits. What is about one name is
 * in one part, with its ownership.
 */
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

/**
 * Sends what the service may refuse because of some of it: all at once, else each half by itself, until what is
 * refused is one alone, which is left out.
 */
export async function sendDivided<Of>(
  all: readonly Of[],
  send: (part: readonly Of[]) => Promise<void>,
  leaveOut: (one: Of, unfit: Unfit) => void,
): Promise<void> {
  try {
    await send(all);
  } catch (error) {
    if (!(error instanceof WebhookProblem) || !error.isAboutItems) throw error;
    if (all.length === 1) return leaveOut(all[0]!, unfitFor(error));
    const middle = Math.ceil(all.length / 2);
    await sendDivided(all.slice(0, middle), send, leaveOut);
    await sendDivided(all.slice(middle), send, leaveOut);
  }
}

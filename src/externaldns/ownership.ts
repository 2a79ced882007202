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
 * whose endpoint can not be told from others of that name belongs to all of them.
 */
import { comparable } from './endpoint.ts';
import { type Item, nameOf } from './changes.ts';

const heritage = /^"?heritage=external-dns/;

/** Calls `join` for every ownership record of `items` and each endpoint that it may belong to. */
export function joinOwnership(items: readonly Item[], join: (a: Item, b: Item) => void): void {
  const endpoints = new Map<string, Item[]>();
  const keyOf = (list: string, name: string) => `${list} ${name}`;
  for (const item of items) {
    if (isOwnership(item)) continue;
    const key = keyOf(item.list, nameOf(item.endpoint));
    const same = endpoints.get(key);
    if (same === undefined) endpoints.set(key, [item]);
    else same.push(item);
  }
  for (const note of items) {
    if (!isOwnership(note)) continue;
    const name = nameOf(note.endpoint);
    for (const owned of note.owned === undefined ? candidates(name) : [note.owned]) {
      const found = endpoints.get(keyOf(note.list, owned));
      if (found === undefined) continue;
      for (const endpoint of ofType(found, name, owned)) join(note, endpoint);
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

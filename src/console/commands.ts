/** What a person can do, and on which screen: found by words for it, with a zone where one is named. */
import { type Action, may } from './permissions.ts';
import { hrefOf } from './router.ts';

export interface Command {
  readonly label: string;
  readonly href: string;
}

/** Its label and further words find it. Each has a screen, a tab of a named zone, or both; '' for none. */
type Known = readonly [
  label: string,
  words: string,
  screen: string,
  tab: string,
  action?: Action,
  parameters?: Parameters<typeof hrefOf>[1],
];

const known: readonly Known[] = [
  ['New zone', 'create', 'zones', '', 'zone:create', { new: 'zone', at: '' }],
  ['Import a zone', 'file transfer', 'import', '', 'zone:create', { at: '' }],
  ['Roll keys', 'promote ds', 'zones', 'dnssec', 'dnssec:manage', { signed: 'true', at: '' }],
  ['Sign', 'zone dnssec ds', 'zones', 'dnssec', 'dnssec:manage', { signed: 'false', at: '' }],
  ['Changes', 'history undo rollback', 'changes', 'timeline'],
  ['Settings', 'zone guard rename delete', '', 'settings'],
  ['Secondaries', 'notify', 'secondaries', '', 'secondary:read'],
  ['Tokens, roles and keys', 'grant access', 'access', ''],
  ['Health', 'backup disk', 'health', ''],
  ['Deleted zones', 'bin restore', 'bin', '', 'zone:create'],
];

const small = /^(?:of|for|the|an?|in|to)$/;

/** The words of a search, and what may be the name of a zone among them. */
export function wordsOf(text: string) {
  const all = text.toLowerCase().split(/\s+/);
  const zone = all.find((word) => word.includes('.')) ?? '';
  const words = all.filter((word) => word !== '' && word !== zone && !small.test(word));
  return { words, zone: zone.replace(/\.$/, '') };
}

/** Shortest begun word, and the shortest one that may have an ending. */
const [shortest, shortestStem] = [2, 4];

/** Those that all words mean and that the caller may see; `zone` is one that is there, or ''. */
export function commandsFor(words: readonly string[], zone: string): readonly Command[] {
  if (words.length === 0) return [];
  return known.flatMap(([label, more, screen, tab, action, parameters]) => {
    const own = `${label} ${more}`.toLowerCase().split(/\W+/);
    const isMeant = (word: string) =>
      own.find(
        (each) =>
          (word.length >= shortest && each.startsWith(word)) ||
          (each.length >= shortestStem && word.startsWith(each)),
      ) !== undefined;
    const named = tab === '' ? '' : zone;
    const isAllowed = action === undefined || may(named || undefined, action);
    if (!isAllowed || !words.every(isMeant)) return [];
    if (named !== '') {
      return [{ label: `${label}: ${named}`, href: hrefOf(['zones', named, tab]) }];
    }
    return screen === '' ? [] : [{ label, href: hrefOf([screen], parameters) }];
  });
}

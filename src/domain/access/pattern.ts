/**
 * What narrows the record actions of a grant: names and types.
 *
 * A name pattern is `*` (any name), `@` (the apex), `*.sub` (sub and all below it, by whole labels), `sub.**`
 * (sub at any depth: every name whose first label it is; it may be several labels) or one exact name, relative
 * to the zone. Types are `*` or a list.
 */
import { excerpt, Problem } from '../../base/problem.ts';
import {
  emptyName,
  isWithin,
  keyFromLabels,
  labelsOf,
  type NameKey,
  printLabels,
  splitNameText,
} from '../../dns/name.ts';
import { isStorable, parseType, printType, rrtype } from '../../dns/rrtype.ts';

export type NamePattern =
  | { readonly kind: 'any' }
  | { readonly kind: 'subtree'; readonly name: NameKey }
  /** The name holds the first labels of those that match. */
  | { readonly kind: 'leading'; readonly name: NameKey }
  | { readonly kind: 'exact'; readonly name: NameKey };

/** Numbers of the types, or undefined for all of them. */
export type TypeSet = ReadonlySet<number> | undefined;

/** Stands for labels of any number, none included. */
const anyDepth = '**';

/** Reads a pattern and its normal form (lower-case, no closing dot); INVALID_INPUT when it is none. */
export function parseNamePattern(text: string): { pattern: NamePattern; normal: string } {
  const trimmed = text.trim();
  if (trimmed === '*') return { pattern: { kind: 'any' }, normal: '*' };
  if (trimmed === '@') return { pattern: { kind: 'exact', name: emptyName }, normal: '@' };
  try {
    const labels = labelTexts(trimmed);
    if (labels.includes(anyDepth)) {
      const first = labels.slice(0, -1);
      const isLast = labels.indexOf(anyDepth) === first.length;
      if (!isLast || first.length === 0 || first[0] === '*') throw new Error(misplacedDepth);
      const name = relativeName(first.join('.'));
      return { pattern: { kind: 'leading', name }, normal: `${printExact(name)}.${anyDepth}` };
    }
    if (trimmed.startsWith('*.')) {
      const name = relativeName(trimmed.slice(2));
      return { pattern: { kind: 'subtree', name }, normal: `*.${printInPattern(name)}` };
    }
    const name = relativeName(trimmed);
    return { pattern: { kind: 'exact', name }, normal: printExact(name) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Problem(
      'INVALID_INPUT',
      `record_name_pattern: '${excerpt(trimmed)}' ${reason}; it is *, @, *.sub, sub.** or a name relative to the zone`,
    );
  }
}

/** The pattern of a stored grant: before `**` stood for labels it was one, anywhere in a name. */
export function storedNamePattern(text: string): NamePattern {
  try {
    return parseNamePattern(text).pattern;
  } catch {
    const labels = labelTexts(text).map((label) => (label === anyDepth ? `\\${label}` : label));
    return parseNamePattern(labels.join('.')).pattern;
  }
}

const misplacedDepth =
  'has ** elsewhere than at its end, behind labels without a wildcard (a label ** is written \\**)';

/** Labels with their escapes: `\*` is a label, `*` may be a wildcard. */
function labelTexts(text: string): string[] {
  return text.replaceAll(/\\.?/gs, (pair) => (pair === '\\.' ? '\\046' : pair)).split('.');
}

/** The wildcard owner `*` is written with a backslash, else it would read as a wider pattern. */
export function printExact(name: NameKey): string {
  const text = printInPattern(name);
  return text === '*' || text.startsWith('*.') ? `\\${text}` : text;
}

function printInPattern(name: NameKey): string {
  const print = (label: string) =>
    label === anyDepth ? `\\${label}` : printLabels(keyFromLabels([label]));
  return labelsOf(name).map(print).join('.');
}

function relativeName(text: string): NameKey {
  const { labels, absolute } = splitNameText(text);
  if (text === '' || absolute) throw new Error(text === '' ? 'is empty' : 'ends with a dot');
  return keyFromLabels(labels);
}

export function matchesName(pattern: NamePattern, owner: NameKey): boolean {
  switch (pattern.kind) {
    case 'any':
      return true;
    case 'subtree':
      return isWithin(owner, pattern.name);
    case 'leading':
      return beginsWith(owner, pattern.name);
    case 'exact':
      return owner === pattern.name;
  }
}

/** Whether the first labels of a name are those of another: a key has them at its end. */
function beginsWith(name: NameKey, first: NameKey): boolean {
  return name === first || name.endsWith(`\0${first}`);
}

/** Whether a pattern matches a name and every name below it. */
export function coversSubtree(pattern: NamePattern, owner: NameKey): boolean {
  return (pattern.kind === 'any' || pattern.kind === 'subtree') && matchesName(pattern, owner);
}

/** Whether a pattern matches every name that another one does. */
export function coversPattern(pattern: NamePattern, other: NamePattern): boolean {
  switch (other.kind) {
    case 'any':
      return pattern.kind === 'any';
    case 'subtree':
      return coversSubtree(pattern, other.name);
    case 'leading':
      return (
        pattern.kind === 'any' || (pattern.kind === 'leading' && matchesName(pattern, other.name))
      );
    case 'exact':
      return matchesName(pattern, other.name);
  }
}

/**
 * Reads `*` or types separated by commas; the normal form has each once, in upper case. SOA is no stored
 * record, but a dynamic update may add it (decide-update.ts).
 */
export function parseTypeSet(text: string): { types: TypeSet; normal: string } {
  const trimmed = text.trim();
  if (trimmed === '*') return { types: undefined, normal: '*' };
  const types = new Set<number>();
  for (const part of trimmed.split(',')) {
    const type = parseType(part.trim());
    if (type === undefined || !(isStorable(type) || type === rrtype.SOA)) {
      throw new Problem(
        'INVALID_INPUT',
        `record_types: '${excerpt(part.trim())}' is not a record type; it is * or types separated by commas`,
      );
    }
    types.add(type);
  }
  return { types, normal: [...types].map(printType).join(',') };
}

/** The types of a stored grant: older versions granted some that no record may come in with any more. */
export function storedTypeSet(text: string): TypeSet {
  if (text === '*') return undefined;
  return new Set(text.split(',').flatMap((type) => parseType(type) ?? []));
}

export function matchesType(types: TypeSet, type: number): boolean {
  return types === undefined || types.has(type);
}

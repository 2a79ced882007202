/** The counts of counted rules as the repository remembers them: a file a rule in tidy/ratchets/. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CountedRule,
  type Counts,
  countedRules,
  type Offence,
  roomOf,
  type Sources,
} from './counted.ts';
import type { Finding } from './rules.ts';

const folder = 'scripts/tidy/ratchets';
/** Offences that are named beside a count that has risen: any of them may be the new one. */
const maxNamed = 10;

function pathOf({ name }: CountedRule): string {
  return `${folder}/${name}.json`;
}

/** Nothing is remembered where there is no file: then a rule is kept, or its goal is. */
function remembered(root: string, rule: CountedRule): Counts {
  try {
    return JSON.parse(readFileSync(join(root, pathOf(rule)), 'utf8')) as Counts;
  } catch {
    return {};
  }
}

/** Rooms that break a rule more often than is remembered, and those that do less often. */
export function checkRatchets(
  root: string,
  sources: Sources,
): { readonly risen: Finding[]; readonly fallen: string[] } {
  const risen: Finding[] = [];
  const fallen: string[] = [];
  for (const rule of countedRules) {
    const before = remembered(root, rule);
    const { counts, offences } = rule.find(sources);
    for (const room of new Set([...Object.keys(before), ...Object.keys(counts)])) {
      const [now, allowed] = [counts[room] ?? 0, Math.max(rule.goal, before[room] ?? 0)];
      if (now > allowed) {
        const message = `${room} has ${now} ${rule.says} (at most ${allowed})${named(offences, room)}`;
        risen.push({ path: pathOf(rule), rule: rule.name, message });
      }
      if (now < (before[room] ?? 0)) {
        const command = 'npm run tidy -- --ratchet';
        fallen.push(`${pathOf(rule)}: ${room} has ${now}, no longer ${before[room]}: ${command}`);
      }
    }
  }
  return { risen, fallen };
}

function named(offences: readonly Offence[], room: string): string {
  const here = offences.filter(({ path }) => roomOf(path) === room);
  const lines = here.slice(0, maxNamed).map(({ path, line, says }) => {
    return `\n    ${path}${line === undefined ? '' : `:${line}`} ${says}`;
  });
  if (here.length > maxNamed) lines.push(`\n    ... and ${here.length - maxNamed} more`);
  return lines.join('');
}

/** Remembers the counts of today, rooms in the order of their names. */
export function writeRatchets(root: string, sources: Sources): void {
  mkdirSync(join(root, folder), { recursive: true });
  for (const rule of countedRules) {
    const counts = Object.entries(rule.find(sources).counts).filter(([, count]) => count > 0);
    const sorted = Object.fromEntries(counts.toSorted(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(join(root, pathOf(rule)), `${JSON.stringify(sorted, null, 2)}\n`);
  }
}

/**
 * The house rules as a program: prints one line for each thing that breaks one, exit 1 if any does.
 *
 * Usage: npm run tidy
 *        npm run tidy -- --list RULE [ROOM]   where a counted rule is broken
 *        npm run tidy -- --ratchet            remember the counts of today
 *
 * Looks at what git tracks and what it would track: files that are not ignored. The rules are in
 * tidy/rules.ts and tidy/counted.ts, the rooms and their packages in tidy/rooms.ts, the retired words in tidy/words.ts.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countedRules, readSources, roomOf } from './tidy/counted.ts';
import { checkRatchets, writeRatchets } from './tidy/ratchets.ts';
import { checkFile, checkLock, checkTopLevel, type Finding } from './tidy/rules.ts';
import type { SourceFile } from './tidy/source.ts';

/** Everything that breaks a rule in the repository at `root`, and what has become better since it was counted. */
export function tidy(root: string): { findings: Finding[]; notes: string[] } {
  const paths = filesOf(root).filter((path) => existsSync(join(root, path)));
  const sources = sourcesIn(root, paths);
  const { risen, fallen } = checkRatchets(root, readSources(sources));
  const findings = [
    ...checkTopLevel(paths),
    ...sources.flatMap(checkFile),
    ...paths
      .filter((path) => path === 'bun.lockb')
      .flatMap((path) => checkLock(path, readFileSync(join(root, path)))),
    ...risen,
  ];
  return { findings, notes: fallen };
}

/** What the rules read: sources and pages. */
function sourcesIn(root: string, paths = filesOf(root)): SourceFile[] {
  return paths
    .filter((path) => /^(?:(?:src|spec|scripts)\/.*\.(?:ts|md)|README\.md)$/.test(path))
    .filter((path) => existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** One line for people and editors: `src/dns/name.ts:12 arrow: dns must not import ...`. */
export function printFinding({ path, line, rule, message }: Finding): string {
  return `${path}${line === undefined ? '' : `:${line}`} ${rule}: ${message}`;
}

/** What a copy without git leaves out by name. */
const ignored = new Set(['node_modules', 'data', 'dist', '.git']);

function filesOf(root: string): string[] {
  try {
    const listing = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return [...new Set(listing.split('\0'))].filter((path) => path !== '');
  } catch {
    // An archive has no git, and git refuses a checkout of another user: walk the folders instead.
    return readdirSync(root, { withFileTypes: true })
      .filter((entry) => !ignored.has(entry.name) && !entry.name.endsWith('.log'))
      .flatMap((entry) => {
        if (!entry.isDirectory()) return [entry.name];
        return readdirSync(join(root, entry.name), { recursive: true, encoding: 'utf8' }).map(
          (path) => `${entry.name}/${path.replaceAll('\\', '/')}`,
        );
      });
  }
}

/** Where one counted rule is broken, in all rooms or in one. */
function list(root: string, name: string, room: string | undefined): void {
  const rule = countedRules.find((each) => each.name === name);
  if (rule === undefined) {
    throw new Error(`no such rule; there are ${countedRules.map((each) => each.name).join(', ')}`);
  }
  const { counts, offences } = rule.find(readSources(sourcesIn(root)));
  for (const { path, line, says } of offences) {
    if (room !== undefined && roomOf(path) !== room) continue;
    console.log(`${path}${line === undefined ? '' : `:${line}`} ${says}`);
  }
  console.log(`${rule.says}: ${JSON.stringify(counts)}`);
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const { values, positionals } = parseArgs({
    options: { list: { type: 'string' }, ratchet: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (values.list !== undefined) list(root, values.list, positionals[0]);
  else if (values.ratchet) writeRatchets(root, readSources(sourcesIn(root)));
  else {
    const { findings, notes } = tidy(root);
    for (const finding of findings) console.log(printFinding(finding));
    for (const note of notes) console.log(`note: ${note}`);
    console.log(findings.length === 0 ? 'tidy' : `${findings.length} findings`);
    if (findings.length > 0) process.exitCode = 1;
  }
}

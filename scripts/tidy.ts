/**
 * The house rules as a program: prints one line for each thing that breaks one, exit 1 if any does.
 *
 * Usage: node scripts/tidy.ts
 *
 * Looks at what git tracks and what it would track: files that are not ignored. The rules are in
 * tidy/rules.ts, the rooms and their packages in tidy/rooms.ts.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkFile, checkLock, checkTopLevel, type Finding } from './tidy/rules.ts';

/** Everything that breaks a rule in the repository at `root`. */
export function tidy(root: string): Finding[] {
  const paths = filesOf(root).filter((path) => existsSync(join(root, path)));
  return [
    ...checkTopLevel(paths),
    ...paths
      .filter((path) => /^(?:src|spec|scripts)\/.*\.ts$/.test(path))
      .flatMap((path) => checkFile({ path, text: readFileSync(join(root, path), 'utf8') })),
    ...paths
      .filter((path) => path === 'bun.lockb')
      .flatMap((path) => checkLock(path, readFileSync(join(root, path)))),
  ];
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

if (import.meta.main) {
  const findings = tidy(join(import.meta.dirname, '..'));
  for (const finding of findings) console.log(printFinding(finding));
  console.log(findings.length === 0 ? 'tidy' : `${findings.length} findings`);
  if (findings.length > 0) process.exitCode = 1;
}

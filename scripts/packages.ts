/**
 * What may come along with the packages: looks at everything in node_modules, prints one line for each package that
 * breaks a rule, exit 1 if any does.
 *
 * Usage: npm run packages
 *
 * Only known packages may have a script that an installer would run, only Node's own may run it, and no package
 * may bring a helper that reports to others.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly trustedDependencies?: readonly string[];
}

/** Scripts that npm and bun run by themselves. */
const installScripts = ['preinstall', 'install', 'postinstall'];

/** Packages with such a script, and whether it runs. */
const known: ReadonlyMap<string, 'runs' | 'is blocked'> = new Map([
  // Puts the Node of this machine in place, from a package of the same registry.
  ['node', 'runs'],
  // Would shorten the start of its program; it works without.
  ['esbuild', 'is blocked'],
]);

/** Helpers that tell others who installs or uses a package. What stands in their place has no files. */
const reporting = new Set(['@scarf/scarf']);
const placeholderVersion = '0.0.0';

/** Everything that breaks a rule in the project at `root`. */
export function packageFindings(root: string): string[] {
  const findings: string[] = [];
  const trusted = manifestIn(root).trustedDependencies ?? [];
  for (const name of trusted) {
    if (known.get(name) !== 'runs') findings.push(`package.json trusts ${name} to run its script`);
  }
  for (const folder of packageFolders(join(root, 'node_modules'))) {
    const { name = '', version, scripts = {} } = manifestIn(folder);
    const shown = `${name} ${version} (${folder.slice(root.length + 1)})`;
    const script = installScripts.find((one) => scripts[one] !== undefined);
    if (script !== undefined && !known.has(name)) findings.push(`${shown} has a ${script} script`);
    if (reporting.has(name) && version !== placeholderVersion) {
      findings.push(`${shown} reports to others`);
    }
  }
  return findings;
}

/** Folders of packages, those that are inside of others too. */
function* packageFolders(modules: string): Generator<string> {
  if (!existsSync(modules)) return;
  for (const entry of readdirSync(modules)) {
    if (entry.startsWith('.')) continue;
    const folder = join(modules, entry);
    const isScope = entry.startsWith('@');
    const folders = isScope ? readdirSync(folder).map((name) => join(folder, name)) : [folder];
    for (const one of folders) {
      if (!existsSync(join(one, 'package.json'))) continue;
      yield one;
      yield* packageFolders(join(one, 'node_modules'));
    }
  }
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

if (import.meta.main) {
  const findings = packageFindings(join(import.meta.dirname, '..'));
  for (const finding of findings) console.log(finding);
  if (findings.length > 0) process.exitCode = 1;
}

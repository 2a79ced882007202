/** The files that the program reads at run time (src/base/assets.ts), by their path in a checkout. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { addonAsset } from '../../src/journal/sqlite.ts';

const patterns = [
  'drizzle/meta/_journal.json',
  'drizzle/*.sql',
  'node_modules/swagger-ui-dist/{swagger-ui.css,swagger-ui-bundle.js,favicon-32x32.png}',
  addonAsset,
];

/** Name and path of each; a pattern that finds nothing is a mistake here. */
export function assetsOf(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const pattern of patterns) {
    const names = globSync(pattern, { cwd: root });
    if (names.length === 0) throw new Error(`there is no ${pattern}`);
    for (const name of names.sort()) found[name] = join(root, name);
  }
  return found;
}

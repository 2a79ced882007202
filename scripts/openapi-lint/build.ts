/**
 * Installs Spectral and Redocly, which judge OpenAPI documents. No script of a package is run, and what reports to others
 * is kept out as it is here (spec/decisions/0002-packages.md).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtOnce, run } from '../built-once.ts';

const packages = { '@stoplight/spectral-cli': '6.16.3', '@redocly/cli': '2.77.0' };
const nothing = join(import.meta.dirname, '../packaging/nothing');

/** The folder of both programs, `spectral` and `redocly`. */
export async function buildLinters(): Promise<string> {
  const programs = 'node_modules/.bin';
  const folder = await builtOnce({
    name: 'openapi-lint',
    version: Object.values(packages).join('-'),
    program: `${programs}/redocly`,
    async build(made) {
      const overrides = { '@scarf/scarf': `file:${nothing}` };
      const manifest = { private: true, dependencies: packages, overrides };
      writeFileSync(join(made, 'package.json'), JSON.stringify(manifest));
      const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--install-links'];
      await run('npm', ['install', ...quietly], made);
    },
  });
  return join(folder, programs);
}

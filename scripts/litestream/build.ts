/** Builds Litestream, which replicates the database file, from its Go module. */
import { join } from 'node:path';
import { builtWithGo } from '../go.ts';

/** The release that is tried: it can be built with nothing but Go, and SQLite in it is modernc's, not C. */
export const litestreamVersion = 'v0.5.18';

const module = 'github.com/benbjohnson/litestream/cmd/litestream';

/** The path of the program (`builtWithGo`). */
export async function buildLitestream(version = litestreamVersion): Promise<string> {
  const folder = await builtWithGo({
    name: 'litestream',
    version,
    program: 'litestream',
    async build(made, go) {
      await go(['install', `${module}@${version}`], made, { ...process.env, GOBIN: made });
    },
  });
  return join(folder, 'litestream');
}

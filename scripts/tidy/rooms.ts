/**
 * The rooms of src/ as data: a room imports only itself and rooms above it in this list, and an
 * outside package is touched only by the rooms that name it.
 */
export interface Room {
  readonly name: string;
  /** Names of packages; one that ends in a slash stands for a whole scope. */
  readonly packages: readonly string[];
}

export const rooms: readonly Room[] = [
  { name: 'base', packages: [] },
  { name: 'telemetry', packages: ['pino', '@prometheus-io/client'] },
  { name: 'dns', packages: [] },
  { name: 'dnssec', packages: ['@noble/'] },
  { name: 'contract', packages: ['valibot', '@valibot/to-json-schema', 'yaml'] },
  { name: 'domain', packages: [] },
  { name: 'journal', packages: ['better-sqlite3', 'drizzle-orm'] },
  { name: 'keystore', packages: ['better-sqlite3', 'drizzle-orm'] },
  { name: 'projection', packages: ['better-sqlite3', 'drizzle-orm'] },
  { name: 'query', packages: ['drizzle-orm'] },
  { name: 'outbound', packages: ['p-limit'] },
  { name: 'writer', packages: [] },
  { name: 'nameserver', packages: [] },
  { name: 'background', packages: ['p-limit'] },
  { name: 'http', packages: ['hono', 'rate-limiter-flexible', 'esbuild'] },
  { name: 'console', packages: ['preact', '@preact/signals', 'valibot'] },
  { name: 'externaldns', packages: ['hono'] },
  { name: 'cli', packages: ['p-limit', 'yargs', 'yaml'] },
  { name: 'daemon', packages: ['@hono/node-server', 'smol-toml'] },
];

/** What may stand at the top of the repository, besides names that start with a dot. */
export const topLevel = new Set([
  'package.json',
  'src',
  'drizzle',
  'scripts',
  'spec',
  'fixtures',
  'bun.lockb',
  'README.md',
]);

/** Lines of one file of the program at most; a longer one wants to be two. */
export const greatestLines = 400;

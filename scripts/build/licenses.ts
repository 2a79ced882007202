/** The licences of everything inside the executable, which ask to be passed on with it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages that are inside without being bundled: the addon, Node itself, the page of the interface. */
const further = [
  'node_modules/@preact/signals',
  'node_modules/@preact/signals-core',
  'node_modules/better-sqlite3',
  'node_modules/preact',
  'node_modules/swagger-ui-dist',
];

const nodeNotice = `Node.js ${process.version} and the libraries inside it: MIT and others, see
https://github.com/nodejs/node/blob/${process.version}/LICENSE
SQLite, inside better-sqlite3: public domain`;

export function licensesOf(root: string, packages: readonly string[]): string {
  const parts = [...new Set([...packages, ...further])].sort().map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    );
    const files = readdirSync(join(root, folder)).filter((file) =>
      /^(?:licen[cs]e|notice)/i.test(file),
    );
    const texts = files.map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...texts].join('\n\n');
  });
  return `${[nodeNotice, ...parts].join(`\n\n${'-'.repeat(78)}\n\n`)}\n`;
}

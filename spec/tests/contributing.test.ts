/** CONTRIBUTING.md lists every script of package.json, and usage lines and pages name no other. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkout } from '../support/test-titles.ts';

const read = (path: string) => readFileSync(join(checkout, path), 'utf8');
const scripts = Object.keys(JSON.parse(read('package.json')).scripts);

/** `npm start`, `npm test` and `npm run NAME`, as they stand in a text. */
function scriptsIn(text: string): string[] {
  return [...text.matchAll(/\bnpm (?:run ([a-z][\w:-]*)|(start|test))\b/g)].map(
    ([, name, short]) => name ?? short!,
  );
}

it('has a row for every script, and for no other', () => {
  const rows = [...read('spec/CONTRIBUTING.md').matchAll(/^\| `(npm [^`]+)`/gm)];
  const listed = rows.flatMap(([, command]) => scriptsIn(command!));
  expect(listed.toSorted()).toEqual(scripts.toSorted());
});

it('is not alone in being right: comments and pages name scripts that there are', () => {
  const files = globSync('{README.md,{src,spec,scripts}/**/*.{ts,md}}', { cwd: checkout });
  const lost = files.flatMap((path) =>
    scriptsIn(read(path))
      .filter((name) => !scripts.includes(name))
      .map((name) => `${path}: npm run ${name}`),
  );
  expect(lost).toEqual([]);
});

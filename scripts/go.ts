/** The Go toolchain of this machine, for programs of others that are built here to be tried. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** On PATH or where its own installer puts it; undefined when there is none. */
export function findGo(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/go/bin'];
  return folders.map((folder) => join(folder, 'go')).find((path) => existsSync(path));
}

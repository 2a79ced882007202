/** Programs of others that are built with Go to be tried here, once for a machine. */
import { chmodSync, cpSync, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { builtOnce, type Project, run } from './built-once.ts';

export interface GoProject extends Omit<Project, 'build'> {
  /** Builds into a folder; `go` runs the toolchain and returns what it prints. */
  build(folder: string, go: RunGo): Promise<void>;
}

export type RunGo = (
  args: readonly string[],
  cwd: string,
  env?: NodeJS.ProcessEnv,
) => Promise<string>;

/**
 * The folder of a project's programs (`builtOnce`). Downloads some hundred modules and compiles for minutes the first
 * time; rejects when there is no Go.
 */
export function builtWithGo({ build, ...project }: GoProject): Promise<string> {
  return builtOnce({
    ...project,
    build(folder) {
      const go = findGo();
      if (go === undefined) throw new Error('there is no Go toolchain on this machine');
      return build(folder, (args, cwd, env) => run(go, args, cwd, env));
    },
  });
}

/** The sources of a module at a version, in a folder where they can be changed: Go keeps its own read-only. */
export async function moduleSources(
  go: RunGo,
  module: string,
  version: string,
  folder: string,
): Promise<string> {
  const { Dir } = JSON.parse(
    await go(['mod', 'download', '-json', `${module}@${version}`], folder),
  );
  const sources = join(folder, 'module');
  cpSync(Dir, sources, { recursive: true });
  chmodSync(sources, 0o755);
  for (const entry of readdirSync(sources, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
  return sources;
}

/** On PATH or where its own installer puts it; undefined when there is none. */
function findGo(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/go/bin'];
  return folders.map((folder) => join(folder, 'go')).find((path) => existsSync(path));
}

/**
 * The syntax trees of TypeScript sources, made by the compiler's own parser. Its interface is called unstable:
 * this is the one file that knows it.
 */
import type { Node, SourceFile } from 'typescript/unstable/ast';
import { SyntaxKind } from 'typescript/unstable/ast';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API } from 'typescript/unstable/sync';

export { type Node, type SourceFile, SyntaxKind };

/** Where the sources stand for the compiler, which sees no disk. */
const root = '/sources';

/** Nothing but the files themselves: no library, and no file that these import. */
const compilerOptions = {
  noLib: true,
  noResolve: true,
  types: [],
  allowImportingTsExtensions: true,
};

/** Parses sources, given by their paths; whoever gives one that does not compile gets a tree all the same. */
export function parseSources(sources: ReadonlyMap<string, string>): Map<string, SourceFile> {
  const config = `${root}/tsconfig.json`;
  const at = (path: string) => `${root}/${path}`;
  const files: Record<string, string> = {};
  for (const [path, text] of sources) files[at(path)] = text;
  files[config] = JSON.stringify({ compilerOptions, files: [...sources.keys()] });
  const compiler = new API({ cwd: root, fs: createVirtualFileSystem(files) });
  try {
    using snapshot = compiler.updateSnapshot({ openProjects: [config] });
    const program = snapshot.getProject(config)!.program;
    const trees = [...sources.keys()].map(
      (path) => [path, program.getSourceFile(at(path))!] as const,
    );
    return new Map(trees);
  } finally {
    // Ends its process, which may say "context canceled" on its way.
    compiler.close();
  }
}

/** Calls `visit` with a node and all below it; below a node for which it returns false nothing is visited. */
export function walk(node: Node, visit: (node: Node) => boolean | void): void {
  if (visit(node) === false) return;
  // Whatever the callback returns would end the walk.
  node.forEachChild((child) => void walk(child, visit));
}

/**
 * House rules that the code does not keep everywhere yet: what breaks each is counted by room, and no count may
 * rise above the one that its ratchet file remembers. A count that has fallen is a reason to write them again:
 * `npm run tidy -- --ratchet`.
 */
import { matchesGlob, posix } from 'node:path';
import { type Node, parseSources, type SourceFile as Tree, SyntaxKind, walk } from '../syntax.ts';
import { importsOf, lineAt, type Parts, partsOf, type SourceFile } from './source.ts';
import { keptNames, retiredWords } from './words.ts';

/** One thing that breaks a counted rule. */
export interface Offence {
  readonly path: string;
  readonly line?: number;
  readonly says: string;
}

/** Offences, or an amount of something, by room. */
export type Counts = Readonly<Record<string, number>>;

export interface CountedRule {
  readonly name: string;
  /** What a room, or all of src, may have at most once the rule is kept. */
  readonly goal: number;
  readonly says: string;
  find(sources: Sources): { readonly counts: Counts; readonly offences: readonly Offence[] };
}

/** The repository's sources, each read and parsed once. */
export interface Sources {
  /** The program: src without tests. */
  readonly program: readonly ProgramFile[];
  /** Every TypeScript file, and every page. */
  readonly all: readonly SourceFile[];
}

interface ProgramFile extends SourceFile {
  readonly parts: Parts;
  readonly tree: Tree;
}

/** Lines of one function at most. */
const maxFunctionLines = 70;
const maxColumns = 120;
/** What src is to come to, tests and the console not counted. */
const goalLines = 45_000;
const goalFiles = 400;
/** Lines of src that are comments, in hundredths. */
const commentShare = { min: 10, max: 20 };

export function readSources(files: readonly SourceFile[]): Sources {
  const program = files.filter(({ path }) => /^src\/.*\.ts$/.test(path) && !isTest(path));
  const trees = parseSources(new Map(program.map(({ path, text }) => [path, text])));
  return {
    all: files,
    program: program.map((file) => {
      return { ...file, parts: partsOf(file.text), tree: trees.get(file.path)! };
    }),
  };
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

/** The page, which runs in a browser, has a count of its own. */
function isConsole(path: string): boolean {
  return path.startsWith('src/console/');
}

/** The folder below src, or the top one. */
export function roomOf(path: string): string {
  const [top, folder, ...rest] = path.split('/');
  return top === 'src' && rest.length > 0 ? folder! : top!;
}

export const countedRules: readonly CountedRule[] = [
  ofOffences('function-length', `functions of more than ${maxFunctionLines} lines`, ({ program }) =>
    program.flatMap(longFunctions),
  ),
  ofOffences('circles', 'files in a circle of imports', ({ program }) => circles(program)),
  ofOffences('module-state', 'bindings of modules that functions change', ({ program }) =>
    // A page has its state to itself.
    program.filter(({ path }) => !isConsole(path)).flatMap(moduleState),
  ),
  ofOffences('line-length', `lines of more than ${maxColumns} columns`, ({ all }) =>
    all.filter(({ path }) => path.endsWith('.ts')).flatMap(longLines),
  ),
  ofOffences('words', 'uses of retired words', ({ program, all }) => [
    ...program.flatMap(wordsOfProgram),
    ...all.filter(({ path }) => path.endsWith('.md')).flatMap(wordsOfPage),
  ]),
  ofTotal('lines', 'lines of src', goalLines, (program) =>
    program
      .filter(({ path }) => !isConsole(path))
      .reduce((sum, { text }) => sum + linesOf(text).length, 0),
  ),
  ofTotal(
    'files',
    'files of src',
    goalFiles,
    (program) => program.filter(({ path }) => !isConsole(path)).length,
  ),
  ofTotal(
    'comments',
    `hundredths of src outside of ${commentShare.min} to ${commentShare.max} that are comments`,
    0,
    (program) => outside(shareOfComments(program)),
  ),
];

function ofOffences(
  name: string,
  says: string,
  find: (sources: Sources) => readonly Offence[],
): CountedRule {
  return {
    name,
    says,
    goal: 0,
    find(sources) {
      const offences = find(sources);
      const counts: Record<string, number> = {};
      for (const { path } of offences) counts[roomOf(path)] = (counts[roomOf(path)] ?? 0) + 1;
      return { counts, offences };
    },
  };
}

function ofTotal(
  name: string,
  says: string,
  goal: number,
  amount: (program: readonly ProgramFile[]) => number,
): CountedRule {
  return {
    name,
    says,
    goal,
    find: ({ program }) => ({ counts: { src: amount(program) }, offences: [] }),
  };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function longLines({ path, text }: SourceFile): Offence[] {
  return linesOf(text).flatMap((line, index) =>
    line.length > maxColumns ? [{ path, line: index + 1, says: `${line.length} columns` }] : [],
  );
}

const functionKinds: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
]);

function longFunctions({ path, tree }: ProgramFile): Offence[] {
  const found: Offence[] = [];
  const lineOf = (position: number) => tree.getLineAndCharacterOfPosition(position).line + 1;
  walk(tree, (node) => {
    if (!functionKinds.has(node.kind)) return;
    const line = lineOf(node.getStart(tree));
    const length = lineOf(node.end) - line + 1;
    if (length > maxFunctionLines)
      found.push({ path, line, says: `a function of ${length} lines` });
  });
  return found;
}

/** Files that import each other, on whatever way; types too, for who reads one must read all. */
function circles(program: readonly ProgramFile[]): Offence[] {
  const imports = new Map<string, string[]>();
  for (const { path, text, parts } of program) {
    const folder = posix.dirname(path);
    const specifiers = importsOf(text, parts.code).map(({ specifier }) => specifier);
    // A file that names its own worker's program imports nothing of it.
    const relative = specifiers.filter((specifier) => specifier.startsWith('.'));
    imports.set(
      path,
      relative.map((specifier) => posix.join(folder, specifier)),
    );
  }
  const reached = new Map<string, Set<string>>();
  for (const path of imports.keys()) reached.set(path, reachableFrom(path, imports));
  return [...imports.keys()].flatMap((path) => {
    if (!reached.get(path)!.has(path)) return [];
    const others = [...reached.get(path)!].filter((each) => reached.get(each)?.has(path));
    return [
      { path, says: `in a circle with ${others.filter((each) => each !== path).join(', ')}` },
    ];
  });
}

function reachableFrom(start: string, imports: ReadonlyMap<string, readonly string[]>) {
  const reached = new Set(imports.get(start));
  for (const path of reached) for (const next of imports.get(path) ?? []) reached.add(next);
  return reached;
}

/** What changes a Map, a Set, a list or an object. */
const changingMethods = new Set(
  'set add delete clear push pop shift unshift splice sort reverse fill copyWithin write'.split(
    ' ',
  ),
);

/** What is there once a process, whoever asks. */
const onceAProcess = new Set(['src/journal/sqlite.ts']);

/** `let` of a module, and what a function of it changes: two callers may meet there. */
function moduleState({ path, tree }: ProgramFile): Offence[] {
  if (onceAProcess.has(path)) return [];
  const found: Offence[] = [];
  const constants = new Set<string>();
  for (const { node, isConst } of moduleBindings(tree)) {
    const name = textOf(node, tree);
    if (isConst) constants.add(name);
    else found.push({ path, line: lineOfNode(node, tree), says: `let ${name}` });
  }
  const changed = new Map<string, number>();
  walk(tree, (node) => {
    if (!functionKinds.has(node.kind)) return true;
    walk(node, (inner) => {
      const target = changedBy(inner, tree);
      if (target !== undefined && constants.has(textOf(target, tree))) {
        changed.set(textOf(target, tree), lineOfNode(target, tree));
      }
    });
    return false;
  });
  for (const [name, line] of changed) found.push({ path, line, says: `${name} is changed` });
  return found;
}

function moduleBindings(tree: Tree): { node: Node; isConst: boolean }[] {
  const found: { node: Node; isConst: boolean }[] = [];
  for (const statement of childrenOf(tree)) {
    if (statement.kind !== SyntaxKind.VariableStatement) continue;
    const isConst = !/^(?:export\s+)?(?:let|var)\b/.test(textOf(statement, tree));
    walk(statement, (node) => {
      if (functionKinds.has(node.kind)) return false;
      const [name] = childrenOf(node);
      if (node.kind === SyntaxKind.VariableDeclaration && name?.kind === SyntaxKind.Identifier) {
        found.push({ node: name, isConst });
      }
      return true;
    });
  }
  return found;
}

/** The name of what an expression changes in place: `name.set(...)`, `name[at] = ...`. */
function changedBy(node: Node, tree: Tree): Node | undefined {
  const [first, second] = childrenOf(node);
  if (first === undefined) return undefined;
  if (
    node.kind === SyntaxKind.CallExpression &&
    first.kind === SyntaxKind.PropertyAccessExpression
  ) {
    const [owner, ...names] = childrenOf(first);
    const isName = owner!.kind === SyntaxKind.Identifier;
    return isName && changingMethods.has(textOf(names.at(-1)!, tree)) ? owner : undefined;
  }
  const isAssignment =
    node.kind === SyntaxKind.BinaryExpression && /^(?:[^=!<>]{0,3})=$/.test(textOf(second!, tree));
  const isAccess =
    first.kind === SyntaxKind.ElementAccessExpression ||
    first.kind === SyntaxKind.PropertyAccessExpression;
  if (!(isAssignment && isAccess)) return undefined;
  const [owner] = childrenOf(first);
  return owner!.kind === SyntaxKind.Identifier ? owner : undefined;
}

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  node.forEachChild((child) => void children.push(child));
  return children;
}

function textOf(node: Node, tree: Tree): string {
  return tree.text.slice(node.getStart(tree), node.end);
}

function lineOfNode(node: Node, tree: Tree): number {
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
}

interface Looked {
  readonly name: string;
  readonly use: string;
  readonly inNamesOnly: boolean;
  readonly allowed: readonly string[];
  readonly inText: RegExp;
}

const looked: readonly Looked[] = retiredWords.flatMap(({ forms, use, ...rest }) =>
  forms.map((name) => ({
    name,
    use,
    inNamesOnly: rest.inNamesOnly ?? false,
    allowed: rest.allowed ?? [],
    // A part of a name with hyphens is none: `zone.signing-noted`.
    inText: new RegExp(`(?<!-)\\b${name.replaceAll(' ', '\\s+')}\\b`, 'gi'),
  })),
);

/** Names, each once a file, comments and messages. */
function wordsOfProgram({ path, text, parts, tree }: ProgramFile): Offence[] {
  const here = looked.filter(({ allowed }) => !allowed.some((glob) => matchesGlob(path, glob)));
  const names = new Map<string, number>([[posix.basename(path, '.ts'), 1]]);
  walk(tree, (node) => {
    if (node.kind !== SyntaxKind.Identifier && node.kind !== SyntaxKind.PrivateIdentifier) return;
    const name = textOf(node, tree);
    if (keptNames.has(name) || names.has(name)) return;
    names.set(name, lineOfNode(node, tree));
  });
  const inNames = [...names].flatMap(([name, line]) => {
    const words = new Set(wordsIn(name));
    return here
      .filter((word) => words.has(word.name))
      .map((word) => ({ path, line, says: `${name}: "${word.name}" is ${word.use}` }));
  });
  // What begins with a dot is the name of a file.
  const strings = parts.strings.filter(({ start }) => text[start] !== '.');
  const inText = [...parts.comments, ...strings].flatMap(({ start, end }) =>
    wordsOfText(here, path, text.slice(start, end)).map(({ at, says }) => {
      return { path, line: lineAt(text, start + at), says };
    }),
  );
  return [...inNames, ...inText];
}

function wordsOfPage({ path, text }: SourceFile): Offence[] {
  const here = looked.filter(({ allowed }) => !allowed.some((glob) => matchesGlob(path, glob)));
  return wordsOfText(here, path, text).map(({ at, says }) => {
    return { path, line: lineAt(text, at), says };
  });
}

function wordsOfText(here: readonly Looked[], path: string, text: string) {
  return here
    .filter(({ inNamesOnly }) => !inNamesOnly)
    .flatMap(({ name, use, inText }) =>
      [...text.matchAll(inText)].map(({ index }) => {
        return { path, at: index, says: `"${name}" is ${use}` };
      }),
    );
}

/** `keptZones`, `#kept_zones` and `kept-zones` are two words each. */
function wordsIn(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
}

/** Lines of nothing but comment, in hundredths of all. */
function shareOfComments(program: readonly ProgramFile[]): number {
  let comments = 0;
  let all = 0;
  for (const { text, parts } of program) {
    const code = linesOf(parts.code);
    for (const [index, line] of linesOf(text).entries()) {
      all++;
      if (line.trim() !== '' && code[index]!.trim() === '') comments++;
    }
  }
  return all === 0 ? commentShare.min : (comments * 100) / all;
}

function outside(share: number): number {
  return Math.ceil(Math.max(0, commentShare.min - share, share - commentShare.max));
}

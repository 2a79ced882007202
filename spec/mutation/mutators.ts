/**
 * Mutants: the same source with one small thing changed that a test should notice. Found in the syntax tree, so
 * that nothing in types, comments and imports is touched.
 */
import {
  type Node,
  parseSources,
  type SourceFile,
  SyntaxKind,
  walk,
} from '../../scripts/syntax.ts';

export interface Mutant {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Where in the text of the file, and what stands there instead. */
  readonly start: number;
  readonly end: number;
  readonly from: string;
  readonly to: string;
}

/** Signs of operators, and the one that is tried instead. */
const otherOperator: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '&': '|',
  '|': '&',
  '>>': '<<',
  '>>>': '<<',
  '<<': '>>>',
  '+=': '-=',
  '-=': '+=',
};

const otherMethod: Readonly<Record<string, string>> = {
  find: 'findLast',
  findLast: 'find',
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  push: 'unshift',
  unshift: 'push',
  shift: 'pop',
  pop: 'shift',
  startsWith: 'endsWith',
};

/** Words of SQL that decide about rows, and what is tried instead. */
const otherSql: readonly (readonly [pattern: RegExp, to: string])[] = [
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  [/ AND /g, ' OR '],
  [/ DESC\b/g, ''],
  [/ OR IGNORE\b/g, ''],
];

/** Calls that say something to people, or look for a bug that the rest of the code must not have. */
const silentCalls =
  /^(?:assert|this\.#?log\w*\.|log\w*\.|\w*[mM]etrics\.|this\.#metrics\.|limits\.)/;

/** The mutants of some sources, given by their paths. */
export function mutantsOf(sources: ReadonlyMap<string, string>): Mutant[] {
  return [...parseSources(sources)].flatMap(([file, tree]) => mutantsIn(file, tree));
}

export function mutated(text: string, { start, end, to }: Mutant): string {
  return text.slice(0, start) + to + text.slice(end);
}

function mutantsIn(file: string, tree: SourceFile): Mutant[] {
  const found: Mutant[] = [];
  const add = (start: number, end: number, to: string) => {
    const line = tree.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ file, line, start, end, from: tree.text.slice(start, end), to });
  };
  const replace = (node: Node, to: string) => add(node.getStart(tree), node.end, to);
  walk(tree, (node) => {
    if (isIgnored(node, tree)) return false;
    mutateNode(node, tree, replace);
    if (isText(node)) {
      for (const { at, length, to } of sqlChanges(tree.text.slice(node.getStart(tree), node.end))) {
        const start = node.getStart(tree) + at;
        add(start, start + length, to);
      }
    }
    return true;
  });
  return found;
}

/** What a syntax node may be replaced by. */
function mutateNode(node: Node, tree: SourceFile, replace: (node: Node, to: string) => void): void {
  const textOf = (each: Node) => tree.text.slice(each.getStart(tree), each.end);
  const children = childrenOf(node);
  switch (node.kind) {
    case SyntaxKind.BinaryExpression: {
      const [left, operator] = children;
      const sign = textOf(operator!);
      // A long text in several pieces.
      if (sign === '+' && [left!, children[2]!].some(isText)) return;
      if (sign === '??') replace(node, textOf(left!));
      else if (otherOperator[sign] !== undefined) replace(operator!, otherOperator[sign]);
      return;
    }
    case SyntaxKind.PrefixUnaryExpression: {
      if (textOf(node).startsWith('!')) replace(node, textOf(children[0]!));
      return;
    }
    case SyntaxKind.NumericLiteral: {
      const number = Number(textOf(node).replaceAll('_', ''));
      if (Number.isSafeInteger(number)) replace(node, String(number + 1));
      return;
    }
    case SyntaxKind.TrueKeyword:
      replace(node, 'false');
      return;
    case SyntaxKind.FalseKeyword:
      replace(node, 'true');
      return;
    case SyntaxKind.IfStatement:
      replace(children[0]!, 'false');
      replace(children[0]!, 'true');
      return;
    case SyntaxKind.WhileStatement:
      // Nothing else: without its body it would never end.
      replace(children[0]!, 'false');
      return;
    case SyntaxKind.ConditionalExpression:
      // Condition, question mark, one value, colon, the other.
      replace(children[0]!, `!(${textOf(children[0]!)})`);
      return;
    case SyntaxKind.ContinueStatement:
    case SyntaxKind.BreakStatement:
      replace(node, ';');
      return;
    case SyntaxKind.ExpressionStatement:
      if (node.parent.kind === SyntaxKind.WhileStatement) return;
      if (!/^(?:super\b|void\b)/.test(textOf(node))) replace(node, ';');
      return;
    case SyntaxKind.PropertyAccessExpression: {
      const name = children.at(-1)!;
      const other = otherMethod[textOf(name)];
      if (other !== undefined && Object.hasOwn(otherMethod, textOf(name))) replace(name, other);
      return;
    }
    default:
  }
}

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  node.forEachChild((child) => void children.push(child));
  return children;
}

/** Types, imports, what is thrown, and calls that no answer depends on. */
function isIgnored(node: Node, tree: SourceFile): boolean {
  const { kind } = node;
  if (kind >= SyntaxKind.TypePredicate && kind <= SyntaxKind.TemplateLiteralTypeSpan) return true;
  switch (kind) {
    case SyntaxKind.ImportType:
    case SyntaxKind.ImportDeclaration:
    case SyntaxKind.ExportDeclaration:
    case SyntaxKind.InterfaceDeclaration:
    case SyntaxKind.TypeAliasDeclaration:
    case SyntaxKind.ThrowStatement:
      return true;
    case SyntaxKind.ExpressionStatement:
      return silentCalls.test(tree.text.slice(node.getStart(tree), node.end));
    default:
      return false;
  }
}

function isText({ kind }: Node): boolean {
  switch (kind) {
    case SyntaxKind.StringLiteral:
    case SyntaxKind.NoSubstitutionTemplateLiteral:
    case SyntaxKind.TemplateExpression:
    case SyntaxKind.TemplateHead:
    case SyntaxKind.TemplateMiddle:
    case SyntaxKind.TemplateTail:
      return true;
    default:
      return false;
  }
}

/** Changes of a text that is a statement of SQL, or the rest of one behind an expression. */
function sqlChanges(text: string): { at: number; length: number; to: string }[] {
  if (!/\b(?:SELECT|INSERT|UPDATE|DELETE|WHERE|ORDER BY)\b/.test(text)) return [];
  return otherSql.flatMap(([pattern, to]) =>
    [...text.matchAll(pattern)].map(({ 0: from, index }) => ({
      at: index,
      length: from.length,
      to,
    })),
  );
}

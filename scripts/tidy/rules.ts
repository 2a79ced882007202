/**
 * The house rules, each a function from a file to what is wrong with it.
 *
 * Tests are exempt from what only the program must keep: arrows between rooms, owners of packages,
 * length, clock, environment, console and the opening comment.
 */
import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { greatestLines, type Room, rooms, topLevel } from './rooms.ts';
import { codeOnly, type Import, importsOf, lineAt, type SourceFile } from './source.ts';

export interface Finding {
  readonly path: string;
  /** Undefined when the whole file or folder is meant. */
  readonly line?: number;
  readonly rule: string;
  readonly message: string;
}

/** One file with all that the rules look at, worked out once. */
interface Subject extends SourceFile {
  readonly code: string;
  readonly imports: readonly Import[];
  /** Whether the file is part of the program: in src/ and no test. */
  readonly inProgram: boolean;
  /** The folder below src/, or undefined for other places and src/main.ts. */
  readonly room: string | undefined;
}

type Rule = (subject: Subject) => Finding[];

export function checkFile(file: SourceFile): Finding[] {
  if (!file.path.endsWith('.ts')) return [];
  const code = codeOnly(file.text);
  const [top, folder, ...rest] = file.path.split('/');
  const subject: Subject = {
    ...file,
    code,
    imports: importsOf(file.text, code),
    inProgram: top === 'src' && !file.path.endsWith('.test.ts'),
    room: top === 'src' && rest.length > 0 ? folder : undefined,
  };
  return rules.flatMap((rule) => rule(subject));
}

/** Whatever stands at the top of the repository and has no place there. */
export function checkTopLevel(paths: readonly string[]): Finding[] {
  const entries = new Set(paths.map((path) => path.split('/')[0]!));
  return [...entries]
    .filter((entry) => !topLevel.has(entry) && !entry.startsWith('.'))
    .map((path) => ({ path, rule: 'top-level', message: 'has no place at the top level' }));
}

/** A lock file that names a host could not be installed from a mirror. */
export function checkLock(path: string, bytes: Uint8Array): Finding[] {
  const hosts = new Set(
    Buffer.from(bytes)
      .toString('latin1')
      .match(/https?:\/\/[\w.:-]+/g),
  );
  return [...hosts].map((host) => ({ path, rule: 'lock-host', message: `names ${host}` }));
}

const rules: readonly Rule[] = [
  checkRoom,
  checkArrows,
  checkPackages,
  checkLength,
  checkHeader,
  checkExtensions,
  checkDefaultExport,
  checkFocus,
  checkNetwork,
  forbid(
    'network',
    /(?<![.\w])(?:fetch\s*\(|WebSocket\b)|\bnew\s+EventSource\b|\bgetBuiltinModule\b|\bcreateRequire\b|\bglobalThis\s*[.[]|\brequire\s*\(|\bprocess\s*\.\s*binding\b/g,
    {
      message: 'others are asked through src/outbound/sockets.ts only',
      allowed: opensSockets,
    },
  ),
  forbid('clock', /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|(?![\s\w(]))/g, {
    message: 'the time is read in src/base/clock.ts only',
    allowed: (path) => path === 'src/base/clock.ts' || inBrowser(path),
  }),
  forbid('environment', /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[/g, {
    message: 'the environment is read in src/daemon/config*.ts and src/cli only',
    allowed: (path) => /^src\/(?:daemon\/config[^/]*\.ts|cli\/.*)$/.test(path),
  }),
  forbid('console', /\bconsole\s*(?:\?\.|\.)\s*\w+/g, {
    message: 'only src/cli and src/daemon write to the console',
    allowed: (path) => /^src\/(?:cli|daemon)\//.test(path),
  }),
];

function checkRoom({ path, room }: Subject): Finding[] {
  if (!path.startsWith('src/') || path === 'src/main.ts') return [];
  if (room !== undefined && rankOf(room) >= 0) return [];
  return [{ path, rule: 'room', message: 'is in no room of scripts/tidy/rooms.ts' }];
}

function checkArrows({ path, inProgram, room, imports }: Subject): Finding[] {
  if (!inProgram || room === undefined) return [];
  return relative(imports).flatMap(({ specifier, line }) => {
    const target = posix.join(posix.dirname(path), specifier);
    // The version of the program is a fact of package.json alone.
    if (target === 'package.json') return [];
    const [top, folder = '', ...rest] = target.split('/');
    const arrow = `${room} must not import ${specifier}`;
    if (top !== 'src') return [{ path, line, rule: 'arrow', message: `${arrow}: outside src` }];
    const reached = rest.length === 0 ? undefined : folder;
    const rank = reached === undefined ? -1 : rankOf(reached);
    if (rank >= 0 && rank <= rankOf(room)) return [];
    const reason = rank < 0 ? 'it is in no room' : `${reached} is below ${room}`;
    return [{ path, line, rule: 'arrow', message: `${arrow}: ${reason}` }];
  });
}

const builtins = new Set(builtinModules);

function checkPackages({ path, inProgram, room, imports }: Subject): Finding[] {
  if (!inProgram) return [];
  return imports.flatMap(({ specifier, line }) => {
    if (specifier.startsWith('.') || specifier.startsWith('node:')) return [];
    const name = packageOf(specifier);
    if (builtins.has(name)) {
      return [{ path, line, rule: 'package', message: `${name} is written node:${name}` }];
    }
    if (roomOf(room)?.packages.some((owned) => owns(owned, name))) return [];
    const owners = rooms.filter((each) => each.packages.some((owned) => owns(owned, name)));
    const where = owners.map((owner) => owner.name).join(', ') || 'no room';
    return [{ path, line, rule: 'package', message: `${name} belongs to ${where}` }];
  });
}

function checkLength({ path, text, inProgram }: Subject): Finding[] {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  if (!inProgram || lines <= greatestLines) return [];
  return [{ path, rule: 'length', message: `has ${lines} lines (at most ${greatestLines})` }];
}

function checkHeader({ path, text, inProgram }: Subject): Finding[] {
  if (!inProgram || /^(?:#!.*\n)?\s*\/[/*]/.test(text)) return [];
  return [{ path, rule: 'header', message: 'does not open with a comment that says what it does' }];
}

function checkExtensions({ path, imports }: Subject): Finding[] {
  return relative(imports)
    .filter(({ specifier }) => !/\.(?:tsx?|json|css)$/.test(specifier))
    .map(({ specifier, line }) => {
      return { path, line, rule: 'extension', message: `import of ${specifier} without .ts` };
    });
}

/** Configuration files of tools, and what stands for a package, are read by their default export. */
function checkDefaultExport({ path, text, code }: Subject): Finding[] {
  if (path.endsWith('.config.ts') || path.startsWith('scripts/build/packages/')) return [];
  return [...code.matchAll(/\bexport\s+default\b|\bas\s+default\b/g)].map((match) => {
    const line = lineAt(text, match.index);
    return { path, line, rule: 'default-export', message: 'exports are named' };
  });
}

/** Where suites are skipped for a reason that is printed: peers that are missing. */
const reasonHelper = 'spec/support/peers.ts';

const focus =
  /\b(?:describe|it|test|suite|bench)(?:\s*\.\s*\w+)*\s*\.\s*(?:only|skip|todo|skipIf|runIf)\s*\(/g;

function checkFocus({ path, text, code }: Subject): Finding[] {
  if (path === reasonHelper) return [];
  return [...code.matchAll(focus)].map((match) => {
    const line = lineAt(text, match.index);
    const message = `${match[0].replaceAll(/\s|\(/g, '')} hides tests; see ${reasonHelper}`;
    return { path, line, rule: 'focus', message };
  });
}

/** Modules that send and receive. */
const networkModules =
  /^node:(?:dgram|net|tls|https?|http2|quic|dns(?:\/promises)?|inspector(?:\/promises)?)$/;

/** What they export that sends nothing. */
const silentNames = new Set([
  'BlockList',
  'SocketAddress',
  'createSecureContext',
  'getCACertificates',
  'isIP',
  'isIPv4',
  'isIPv6',
]);

/** What runs in a browser: its policy lets it ask this service alone. */
function inBrowser(path: string): boolean {
  return path.startsWith('src/console/');
}

/** Where sockets are opened: the gate to others and its resolver, the listeners, and programs that are clients. */
function opensSockets(path: string): boolean {
  if (inBrowser(path)) return true;
  return /^src\/(?:outbound\/(?:sockets|resolver)\.ts|nameserver\/(?:udp|tcp)\.ts|daemon\/http-listeners\.ts|(?:cli|externaldns)\/.*)$/.test(
    path,
  );
}

/** An address that somebody named is contacted through the gate that judges it: nothing else can send. */
function checkNetwork({ path, text, code, inProgram, imports }: Subject): Finding[] {
  if (!inProgram || opensSockets(path)) return [];
  const lines = text.split('\n');
  return imports
    .filter(({ specifier }) => networkModules.test(specifier))
    .filter(({ specifier, line }) => !isSilent(importAt(code, lines, line, specifier)))
    .map(({ specifier, line }) => {
      const message = `${specifier} is used by src/outbound/sockets.ts and listeners only`;
      return { path, line, rule: 'network', message };
    });
}

/** The code of the statement that ends with the module's name. */
function importAt(code: string, lines: readonly string[], line: number, specifier: string): string {
  const lineStart = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  const before = code.slice(0, lineStart + lines[line - 1]!.indexOf(specifier));
  return before.slice(Math.max(before.lastIndexOf('import'), before.lastIndexOf('export')));
}

/** True for `import type { ... }`, and for types and names that send nothing between braces. */
function isSilent(statement: string): boolean {
  if (/^import\s+type\b/.test(statement)) return true;
  const named = /^import\s*\{([^}]*)\}\s*from\s*["']$/.exec(statement);
  if (named === null) return false;
  return named[1]!
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .every((each) => each.startsWith('type ') || silentNames.has(each.split(/\s/)[0]!));
}

function forbid(
  rule: string,
  pattern: RegExp,
  terms: { message: string; allowed(path: string): boolean },
): Rule {
  return ({ path, text, code, inProgram }) => {
    if (!inProgram || terms.allowed(path)) return [];
    return [...code.matchAll(pattern)].map((match) => {
      return { path, line: lineAt(text, match.index), rule, message: terms.message };
    });
  };
}

function relative(imports: readonly Import[]): Import[] {
  return imports.filter(({ specifier }) => /^\.\.?(?:\/|$)/.test(specifier));
}

function roomOf(name: string | undefined): Room | undefined {
  return rooms.find((room) => room.name === name);
}

function rankOf(name: string): number {
  return rooms.findIndex((room) => room.name === name);
}

/** `@hono/node-server/x` is @hono/node-server, `hono/cors` is hono. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function owns(owned: string, name: string): boolean {
  return owned.endsWith('/') ? name.startsWith(owned) : owned === name;
}

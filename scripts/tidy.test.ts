import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countedRules, readSources } from './tidy/counted.ts';
import { checkRatchets, writeRatchets } from './tidy/ratchets.ts';
import { rooms } from './tidy/rooms.ts';
import { checkFile, checkLock, checkTopLevel } from './tidy/rules.ts';
import { codeOnly, importsOf, partsOf } from './tidy/source.ts';
import { printFinding, tidy } from './tidy.ts';

/** Rules that a file with this code breaks, with the line of each. */
function broken(path: string, code: string): string[] {
  return checkFile({ path, text: `/** Says what it does. */\n${code}\n` }).map(
    ({ rule, line }) => `${rule}${line === undefined ? '' : ` ${line}`}`,
  );
}

describe('arrows between rooms', () => {
  it.each([
    ['src/dns/name.ts', '../base/limits.ts'],
    ['src/dns/rdata/a.ts', '../name.ts'],
    ['src/dns/rdata/a.ts', '../../base/limits.ts'],
    ['src/daemon/start.ts', '../cli/run.ts'],
    ['src/main.ts', './daemon/start.ts'],
    ['src/daemon/version.ts', '../../package.json'],
    ['src/base/limits.test.ts', '../daemon/start.ts'],
  ])('%s may import %s', (path, specifier) => {
    expect(broken(path, `import { x } from '${specifier}';`)).toEqual([]);
  });

  it.each([
    ['src/dns/name.ts', '../http/app.ts'],
    ['src/base/limits.ts', '../dns/name.ts'],
    ['src/dns/rdata/a.ts', '../../domain/decide.ts'],
    ['src/cli/run.ts', '../daemon/config.ts'],
    ['src/cli/run.ts', '../main.ts'],
    ['src/dns/name.ts', '../../spec/support/peers.ts'],
    ['src/dns/name.ts', '../nowhere/x.ts'],
  ])('%s must not import %s', (path, specifier) => {
    const wrong = ['arrow 2'];
    expect(broken(path, `import { x } from '${specifier}';`)).toEqual(wrong);
    expect(broken(path, `import type { X } from "${specifier}";`)).toEqual(wrong);
    expect(broken(path, `export * from '${specifier}';`)).toEqual(wrong);
    expect(broken(path, `import '${specifier}';`)).toEqual(wrong);
    expect(broken(path, `const x = await import('${specifier}');`)).toEqual(wrong);
    expect(broken(path, `new Worker(new URL('${specifier}', import.meta.url));`)).toEqual(wrong);
  });

  it('are seen when an import spans lines', () => {
    const code = "import {\n  type A,\n  b as c,\n} from '../http/app.ts';";
    expect(broken('src/dns/name.ts', code)).toEqual(['arrow 5']);
  });

  it('end in rooms that the table knows', () => {
    expect(broken('src/kitchen/sink.ts', '')).toEqual(['room']);
    expect(broken('src/stray.ts', '')).toEqual(['room']);
  });
});

describe('sockets to others', () => {
  const network = (path: string, code: string) =>
    broken(path, code).filter((rule) => rule.startsWith('network'));

  it.each([
    "import { connect } from 'node:net';",
    "import { isIP, createConnection } from 'node:net';",
    "import { isIP as connect, Socket } from 'node:net';",
    "import * as net from 'node:net';",
    "import net from 'node:net';",
    "export * from 'node:net';",
    "export { connect } from 'node:net';",
    "const { connect } = await import('node:net');",
    "import { createSocket } from 'node:dgram';",
    "import { connect } from 'node:tls';",
    "import { request } from 'node:http';",
    "import { get } from 'node:https';",
    "import { connect } from 'node:http2';",
    "import { lookup } from 'node:dns/promises';",
    "import { Resolver } from 'node:dns';",
    "const answer = await fetch('http://127.0.0.1/');",
    'const ask = globalThis.fetch;',
    "const socket = new WebSocket('ws://127.0.0.1/');",
    "const net = process.getBuiltinModule('node:net');",
    "const net = process.binding('tcp_wrap');",
    "const net = createRequire(import.meta.url)('node:net');",
    "const net = require('node:net');",
  ])('are opened by the gate alone: %s', (code) => {
    expect(network('src/background/prober.ts', code)).toEqual(['network 2']);
    expect(network('src/outbound/question.ts', code)).toEqual(['network 2']);
    expect(network('src/outbound/sockets.ts', code)).toEqual([]);
  });

  it.each([
    "import type { Socket } from 'node:net';",
    "import { BlockList, type Socket, isIP } from 'node:net';",
    "import {\n  isIPv4,\n  isIPv6,\n} from 'node:net';",
    "import { createSecureContext, getCACertificates } from 'node:tls';",
    'const answer = app.fetch(request);',
    'const list = [...prefetch()];',
  ])('are not opened by %s', (code) => {
    expect(network('src/background/prober.ts', code)).toEqual([]);
  });
});

describe('outside packages', () => {
  it('belong to the rooms that list them', () => {
    for (const room of rooms) {
      for (const name of room.packages.filter((owned) => !owned.endsWith('/'))) {
        expect(broken(`src/${room.name}/x.ts`, `import x from '${name}';`)).toEqual([]);
      }
    }
    expect(broken('src/dnssec/x.ts', "import { p256 } from '@noble/curves/nist.js';")).toEqual([]);
    expect(broken('src/http/x.ts', "import { cors } from 'hono/cors';")).toEqual([]);
  });

  it.each([
    ['src/dns/x.ts', 'pino'],
    ['src/main.ts', 'yargs'],
    ['src/http/x.ts', '@hono/node-server'],
    ['src/writer/x.ts', 'drizzle-orm/better-sqlite3'],
    ['src/base/x.ts', 'left-pad'],
    ['src/base/x.ts', 'fs'],
  ])('%s must not import %s', (path, name) => {
    expect(broken(path, `import x from '${name}';`)).toEqual(['package 2']);
  });

  it('may be used by tests and are free outside src', () => {
    expect(broken('src/dns/x.test.ts', "import x from 'dns-packet';")).toEqual([]);
    expect(broken('scripts/x.ts', "import x from 'autocannon';")).toEqual([]);
  });
});

describe('length', () => {
  const long = '//\n'.repeat(400);
  it('is at most 400 lines, tests exempt', () => {
    expect(broken('src/dns/x.ts', long)).toEqual(['length']);
    expect(broken('src/dns/x.ts', '//\n'.repeat(398))).toEqual([]);
    expect(broken('src/dns/x.test.ts', long)).toEqual([]);
    expect(broken('spec/x.ts', long)).toEqual([]);
  });
});

describe('clock, environment and console', () => {
  it.each([
    ['clock', 'const now = Date.now();', 'src/base/clock.ts'],
    ['clock', 'const now = new Date();', 'src/base/clock.ts'],
    ['clock', 'const now = new Date;', 'src/base/clock.ts'],
    ['clock', 'later(Date.now)', 'src/base/clock.ts'],
    ['environment', 'const level = process.env.LEVEL;', 'src/daemon/config-settings.ts'],
    ['environment', "const level = process['env'];", 'src/cli/token.ts'],
    ['console', "console.log('x');", 'src/cli/output.ts'],
    ['console', "console.error('x');", 'src/daemon/start.ts'],
  ])('%s: %s', (rule, code, home) => {
    expect(broken('src/dns/x.ts', code)).toEqual([`${rule} 2`]);
    expect(broken('src/main.ts', code)).toEqual([`${rule} 2`]);
    expect(broken(home, code)).toEqual([]);
    expect(broken('src/dns/x.test.ts', code)).toEqual([]);
  });

  it('leaves given times alone, and words in text and comments', () => {
    expect(broken('src/dns/x.ts', 'new Date(milliseconds);')).toEqual([]);
    expect(broken('src/dns/x.ts', "// Date.now\nconst text = 'process.env';")).toEqual([]);
  });
});

describe('imports, exports and headers', () => {
  it('names the files of relative imports in full', () => {
    expect(broken('src/dns/x.ts', "import { a } from './name';")).toEqual(['extension 2']);
    expect(broken('spec/x.test.ts', "import { a } from '../src/dns/name.js';")).toEqual([
      'extension 2',
    ]);
    expect(
      broken('src/dns/x.ts', "import table from './table.json' with { type: 'json' };"),
    ).toEqual([]);
  });

  it('knows no default exports but those of configurations', () => {
    expect(broken('src/dns/x.ts', 'export default 1;')).toEqual(['default-export 2']);
    expect(broken('src/dns/x.ts', 'export { x as default };')).toEqual(['default-export 2']);
    expect(broken('scripts/vitest.config.ts', 'export default {};')).toEqual([]);
  });

  it('opens every file of the program with a comment', () => {
    const rulesOf = (path: string, text: string) =>
      checkFile({ path, text }).map(({ rule }) => rule);
    expect(rulesOf('src/dns/x.ts', 'export const x = 1;\n')).toEqual(['header']);
    expect(rulesOf('src/dns/x.ts', '// What it does.\nexport const x = 1;\n')).toEqual([]);
    expect(rulesOf('src/dns/x.test.ts', 'export const x = 1;\n')).toEqual([]);
  });
});

describe('hidden tests', () => {
  it.each(['it.only(', 'describe.skip(', 'it.concurrent.skip(', 'test.skipIf(', 'it.todo('])(
    'finds %s',
    (call) => {
      expect(broken('src/dns/x.test.ts', `${call}'x', () => {});`)).toEqual(['focus 2']);
    },
  );

  it('leaves alone the helper that gives a reason, and other things called skip', () => {
    expect(broken('spec/support/peers.ts', "describe.skip('x', () => {});")).toEqual([]);
    expect(broken('src/dns/x.ts', 'reader.skip(4);')).toEqual([]);
  });
});

describe('the top level and the lock file', () => {
  it('refuses other entries', () => {
    const paths = [
      'package.json',
      'src/main.ts',
      '.ci/run',
      '.gitignore',
      'tsconfig.json',
      'docs/a.md',
    ];
    expect(checkTopLevel(paths).map(({ path }) => path)).toEqual(['tsconfig.json', 'docs']);
  });

  it('refuses a lock file that names a host', () => {
    const address = 'https://registry.example.org/a.tgz';
    expect(checkLock('bun.lockb', Buffer.from(`\0\0${address}\0`))).toMatchObject([
      { rule: 'lock-host', message: 'names https://registry.example.org' },
    ]);
    expect(checkLock('bun.lockb', Buffer.from('\0name\0'))).toEqual([]);
  });
});

describe('reading source', () => {
  it.each([
    ["a = 'x' + b", "a = ' ' + b"],
    ["'it\\'s' + b", "'     ' + b"],
    ['// x\nb', '    \nb'],
    ['/* x\n*/ b', '    \n   b'],
    ['`a #{b + `c #{d}`} e`', '`  #{b + `  #{d}`}  `'],
    ['`#{{ a: 1 }}x`', '`#{{ a: 1 }} `'],
    ['a / b / c', 'a / b / c'],
    ['x.replace(/[\'"/]/g, y)', 'x.replace(/     /g, y)'],
    ["return /'/;", 'return / /;'],
    ['(a) / 2 // x', '(a) / 2     '],
  ])('blanks %s', (source, blanked) => {
    // A number sign stands for the dollar of a template, which would look like a mistake here.
    const text = source.replaceAll('#{', '${');
    expect(codeOnly(text)).toBe(blanked.replaceAll('#{', '${'));
  });

  it('tells comments and strings apart', () => {
    const text = "a('b'); // c\n/* d */ `e#{f}g`".replaceAll('#{', '${');
    const { comments, strings } = partsOf(text);
    const cut = (ranges: readonly { start: number; end: number }[]) =>
      ranges.map(({ start, end }) => text.slice(start, end));
    expect(cut(comments)).toEqual(['// c', '/* d */']);
    expect(cut(strings)).toEqual(['b', 'e', 'g']);
  });

  it('takes no import out of text', () => {
    expect(importsOf('const text = "import { a } from \'./a.ts\'";')).toEqual([]);
    expect(importsOf("// import { a } from './a.ts'\nimport { b } from './b.ts';")).toEqual([
      { specifier: './b.ts', line: 2 },
    ]);
  });
});

/** What breaks a counted rule in files given by their paths. */
function counted(name: string, files: Readonly<Record<string, string>>): string[] {
  const rule = countedRules.find((each) => each.name === name)!;
  const sources = readSources(Object.entries(files).map(([path, text]) => ({ path, text })));
  return rule.find(sources).offences.map(({ path, line, says }) => `${path}:${line ?? ''} ${says}`);
}

describe('counted rules', () => {
  it('find functions of more than 70 lines, methods and closures too', () => {
    const body = (lines: number) => `{\n${'  x();\n'.repeat(lines - 2)}}`;
    const functions = `function a() ${body(70)}\nconst b = () => ${body(71)};\n`;
    const text = `${functions}class C {\n  async d() ${body(80)}\n}\n`;
    expect(counted('function-length', { 'src/dns/x.ts': text })).toEqual([
      'src/dns/x.ts:71 a function of 71 lines',
      'src/dns/x.ts:143 a function of 80 lines',
    ]);
    expect(counted('function-length', { 'src/dns/x.test.ts': text })).toEqual([]);
  });

  it('find circles of imports, of types too', () => {
    const files = {
      'src/dns/a.ts': "import { b } from './b.ts';\nimport { d } from './d.ts';\n",
      'src/dns/b.ts': "import type { C } from './c.ts';\n",
      'src/dns/c.ts': "export { a } from './a.ts';\n",
      'src/dns/d.ts': '// Imports nothing.\n',
    };
    expect(counted('circles', files).map((says) => says.split(':')[0])).toEqual([
      'src/dns/a.ts',
      'src/dns/b.ts',
      'src/dns/c.ts',
    ]);
  });

  it.each([
    ['let count = 0;', 'let count'],
    ['const a = new Map();\nfunction f() {\n  a.set(1, 2);\n}', 'a is changed'],
    ['export const a: number[] = [];\nconst f = () => a.push(1);', 'a is changed'],
    ['const a = { b: 1 };\nclass C {\n  d() {\n    a.b += 2;\n  }\n}', 'a is changed'],
    ['const a = Buffer.alloc(9);\nfunction f() {\n  a[0] = 1;\n}', 'a is changed'],
  ])('find the state of a module: %s', (text, says) => {
    expect(counted('module-state', { 'src/dns/x.ts': text })).toEqual([
      expect.stringContaining(says),
    ]);
  });

  it.each([
    'const a = new Map([[1, 2]]);\nfunction f() {\n  return a.get(1);\n}',
    'const a = new Uint8Array(9);\nfor (let i = 0; i < 9; i++) a[i] = 1;',
    'function f() {\n  let a = 1;\n  a += 1;\n  return a;\n}',
    'const a = 1;\nfunction f(b: number[]) {\n  b.push(a);\n  return b[0] === a;\n}',
  ])('find none in %s', (text) => {
    expect(counted('module-state', { 'src/dns/x.ts': text })).toEqual([]);
  });

  it('find retired words in names, comments, messages and pages', () => {
    const text =
      "// Counts octets.\nconst keptOctets = 'by and by';\nconst settled = keptOctets;\n";
    const found = counted('words', { 'src/dns/record-places.ts': text, 'README.md': 'an octet' });
    expect(found.map((each) => each.replace(/ is .*/, ''))).toEqual([
      'src/dns/record-places.ts:1 record-places: "places"',
      'src/dns/record-places.ts:2 keptOctets: "octets"',
      'src/dns/record-places.ts:3 settled: "settled"',
      'src/dns/record-places.ts:1 "octets"',
      'src/dns/record-places.ts:2 "by and by"',
      'README.md:1 "octet"',
    ]);
  });

  it('leave words of everyday English alone where they name nothing', () => {
    const text =
      "// In place of the rest.\nimport { a } from './place.ts';\nconst all = 'some content';\n";
    expect(counted('words', { 'src/dns/x.ts': text })).toEqual([]);
    expect(counted('words', { 'src/dns/x.test.ts': '// Octets.' })).toEqual([]);
  });

  it('fail when a count rises, and say when it falls', () => {
    const root = mkdtempSync(join(tmpdir(), 'zonebook-tidy-'));
    const long = (count: number) => `${`// ${'x'.repeat(130)}\n`.repeat(count)}`;
    const sourcesOf = (count: number) => readSources([{ path: 'spec/x.ts', text: long(count) }]);
    try {
      expect(checkRatchets(root, sourcesOf(1)).risen).toHaveLength(1);
      writeRatchets(root, sourcesOf(2));
      expect(checkRatchets(root, sourcesOf(2))).toEqual({ risen: [], fallen: [] });
      const { risen } = checkRatchets(root, sourcesOf(3));
      expect(risen.map(printFinding)).toEqual([expect.stringContaining('spec has 3 lines')]);
      expect(risen[0]!.message).toContain('spec/x.ts:3 133 columns');
      expect(checkRatchets(root, sourcesOf(1)).fallen).toEqual([
        expect.stringContaining('spec has 1, no longer 2: npm run tidy -- --ratchet'),
      ]);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

describe('a whole repository', () => {
  it('without git is walked', () => {
    const root = mkdtempSync(join(tmpdir(), 'zonebook-tidy-'));
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    try {
      write('src/dns/x.ts', "import { a } from '../http/a.ts';\n");
      write('bun.lockb', 'http://127.0.0.1:4873/a');
      write('notes.md', '');
      write('node_modules/a/x.ts', '');
      write('src/base/x.ts', `/** Nothing. */\n${'export {};\n'.repeat(8)}`);
      expect(tidy(root).findings.map(printFinding)).toEqual([
        'notes.md top-level: has no place at the top level',
        'src/dns/x.ts:1 arrow: dns must not import ../http/a.ts: http is below dns',
        'src/dns/x.ts header: does not open with a comment that says what it does',
        'bun.lockb lock-host: names http://127.0.0.1:4873',
      ]);
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it('is this one, and it keeps the rules', () => {
    expect(tidy(join(import.meta.dirname, '..')).findings.map(printFinding)).toEqual([]);
  });
});

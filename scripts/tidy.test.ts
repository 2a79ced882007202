import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rooms } from './tidy/rooms.ts';
import { checkFile, checkLock, checkTopLevel } from './tidy/rules.ts';
import { codeOnly, importsOf } from './tidy/source.ts';
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
    ['src/engine/x.ts', 'drizzle-orm/better-sqlite3'],
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

  it('takes no import out of text', () => {
    expect(importsOf('const text = "import { a } from \'./a.ts\'";')).toEqual([]);
    expect(importsOf("// import { a } from './a.ts'\nimport { b } from './b.ts';")).toEqual([
      { specifier: './b.ts', line: 2 },
    ]);
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
      write('src/base/x.ts', '/** Nothing. */\n');
      expect(tidy(root).map(printFinding)).toEqual([
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
    expect(tidy(join(import.meta.dirname, '..')).map(printFinding)).toEqual([]);
  });
});

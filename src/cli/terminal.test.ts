/** Whatever a service answers, in whatever form it is shown, a terminal gets no sequence of others. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { run } from '../../spec/support/command-line.ts';
import { jsonType } from '../http/answer.ts';
import { routes } from '../contract/routes.ts';
import { type Command, examplesOf, type Group, verbOf } from './command.ts';
import { commands, groups } from './commands/index.ts';

/** C0, DEL, C1, marks of direction, joiners and spaces without width, separators, fillers, tags, a colour. */
const hostile =
  '\u0007\u001b]0;t\u0007\u001b[2J\r\u001b[Kx\u007f\u0085\u009b31m\u00ad\u061c\u115f\u200b\u200d\u200e' +
  '\u2028\u2029\u202a\u202e\u2060\u2066\u2069\u3164\ufeff\ufff9\u{e0041}';

const seenOnly =
  /^(?:\u001b\[(?:1|22|3\d)m|\r\u001b\[K|[\n\t]|[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}])*$/u;

const folder = mkdtempSync(join(tmpdir(), 'zonebook-terminal-'));
let server: Server;
/** Refuses every request when it is set. */
let refuses = false;

function answerTo(method: string, path: string): unknown {
  const route = routes.find(
    (one) =>
      one.method === method && new RegExp(`^${one.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  return route?.exampleAnswer;
}

beforeAll(async () => {
  server = createServer((incoming, outgoing) => {
    incoming.resume();
    const answer = answerTo(incoming.method!, incoming.url!.split('?')[0]!);
    const type = typeof answer === 'string' ? 'text/plain' : jsonType;
    const error = { error: `no${hostile}`, code: `FORBIDDEN${hostile}` };
    const body = JSON.stringify(refuses ? error : answer, (key, value) =>
      typeof value === 'string' && key !== 'code' ? value + hostile : value,
    );
    outgoing.writeHead(refuses ? 403 : 200, { 'Content-Type': type });
    outgoing.end(typeof answer === 'string' ? answer + hostile : body);
  });
  await new Promise<void>((resolve) => server.listen(join(folder, 'zonebook.sock'), resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

function everyOf(group: Group, parent: string): (readonly [Command, string])[] {
  const here = `${parent} ${group.name}`;
  return [
    ...group.commands.map((command) => [command, here] as const),
    ...(group.groups ?? []).flatMap((part) => everyOf(part, here)),
  ];
}

/** Commands that ask the service, as their own examples write them; those with files and pipes aside. */
const lines = [
  ...commands.map((command) => [command, 'zonebook'] as const),
  ...groups.flatMap((group) => everyOf(group, 'zonebook')),
]
  .filter(([command]) => command.where !== 'host' && verbOf(command) !== 'doctor')
  .flatMap(([command, parent]) => examplesOf(command, parent).slice(0, 1))
  .map(([line]) => line)
  .filter((line) => !/[|<>;]|\.(?:zone|json|db|key)\b/.test(line));

function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)];
  return words.map(([, a, b, c]) => a ?? b ?? c!).slice(1);
}

const formats: readonly [name: string, read?: (text: string) => unknown][] = [
  ['table'],
  ['json', (text) => JSON.parse(text)],
  ['yaml', (text) => parse(text)],
];

describe.each(lines)('%s', (line) => {
  const words = wordsOf(line);

  it('shows nothing unseen on a terminal, and in JSON and YAML the same as elsewhere', async () => {
    for (const [format, read] of formats) {
      const here = await run([...words, '-o', format], { dataDir: folder, terminal: true });
      expect(here.out + here.err).toMatch(seenOnly);
      if (read === undefined) continue;
      const there = await run([...words, '-o', format], { dataDir: folder });
      expect(here.code).toBe(there.code);
      if (/^[{"]/.test(there.out) || format === 'yaml') {
        expect(read(here.out)).toEqual(read(there.out));
      }
    }
    refuses = true;
    const refused = await run(words, { dataDir: folder, terminal: true });
    refuses = false;
    expect(refused.out + refused.err).toMatch(seenOnly);
  });
});

it('tries most commands', () => expect(lines.length).toBeGreaterThan(40));

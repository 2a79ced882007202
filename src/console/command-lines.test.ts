import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { commandLine, curlLine } from './command-lines.ts';
import type { HttpWrite } from './write.ts';

const origin = 'http://127.0.0.1:3000';

/** What the programs of the lines are given by a real shell: their arguments, and their input where they have one. */
function heard(lines: readonly string[], hasInput = false): { args: string[]; input: string }[] {
  const functions = `
    curl() { tell "$@"; }
    zonebook() { tell "$@"; }
    tell() {
      for word in "$@"; do printf '%s\\0' "$word"; done
      ${hasInput ? 'cat' : ':'}
      printf '\\1'
    }
  `;
  const input = [functions, ...lines, ''].join('\n');
  const said = execFileSync('/bin/sh', { env: { ZONEBOOK_TOKEN: 'secret' }, input });
  const pieces = said.toString().split('\x01').slice(0, -1);
  return pieces.map((piece) => {
    const args = piece.split('\0');
    return { input: args.pop() ?? '', args };
  });
}

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom("'", '"', '\\', '$', '`', '!', ' ', '\n', '-', '*', 'ü', 'a'),
  }),
);
const write = fc.record({
  method: fc.constant('POST' as const),
  path: fc.constant('/records'),
  query: fc.record({ id: text }),
  body: fc.record({ zone_name: text, name: text, type: text, value: text }),
  headers: fc.record({ 'if-match': fc.constant('"1-2"') }),
});

it('gives curl what the console would send, whatever a shell might make of it', () => {
  fc.assert(
    fc.property(fc.array(write, { minLength: 20, maxLength: 20 }), (writes) => {
      const all = heard(writes.map((each) => curlLine(origin, each, true)));
      for (const [index, { args }] of all.entries()) {
        const { query, body } = writes[index]!;
        const url = new URL(args.find((arg) => arg.startsWith('http'))!);
        expect(url.searchParams.get('id') ?? '').toBe(query.id);
        expect(args).toContain('Authorization: Bearer secret');
        expect(args).toContain('If-Match: "1-2"');
        expect(JSON.parse(args.at(-1)!)).toEqual(body);
      }
    }),
    { numRuns: 10 },
  );
});

it('gives the command line the same words, or is not there', () => {
  fc.assert(
    fc.property(fc.array(write, { minLength: 20, maxLength: 20 }), (writes) => {
      const lines = writes.map((each) => commandLine(origin, each));
      const all = heard(lines.filter((line) => line !== undefined));
      const told = writes.filter((_, index) => lines[index] !== undefined);
      expect(all.length).toBe(told.length);
      for (const [index, { args }] of all.entries()) {
        const { zone_name: zone, name, type, value } = told[index]!.body;
        expect(args.slice(-4)).toEqual([zone, name, type, value]);
      }
    }),
    { numRuns: 10 },
  );
});

it('sends what is too long for an argument as input', () => {
  const content = `${'www IN TXT "it\'s"\nEND\n'.repeat(9000)}`;
  const request: HttpWrite = {
    method: 'POST',
    path: '/zones/example.com/import',
    query: {},
    body: { content, mode: 'replace' },
    headers: { 'zonebook-reason': "UTF-8''f%C3%BCr%20'alle'" },
  };
  const command = commandLine(origin, request)!;
  const [byCurl, byCommand] = heard([curlLine(origin, request, false), command], true);
  expect(byCurl!.args.join(' ')).not.toContain('Bearer');
  expect(JSON.parse(byCurl!.input)).toEqual(request.body);
  expect(byCommand!.input).toBe(content);
  expect(byCommand!.args).toEqual([
    'zone',
    'import',
    `--url=${origin}`,
    "--reason=für 'alle'",
    '--mode=replace',
    'example.com',
    '-',
  ]);
});

/** The manual page: complete, and without fault for the programs that show such pages. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Command, type Group, optionName } from '../../src/cli/command.ts';
import { commands, groups } from '../../src/cli/commands/index.ts';
import { needsPeers, peer } from '../support/peers.ts';

const script = fileURLToPath(new URL('../../scripts/man-page.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'zonebook-man-'));
const page = join(folder, 'zonebook.1');
const env = { ...process.env, SOURCE_DATE_EPOCH: '1767225600' };
/** Where a variable is read; by ZONEBOOK_COMMAND scripts/zonebook says how it was called. */
const variable = /\benv\.((?!ZONEBOOK_COMMAND)(?:ZONEBOOK_\w+|VISUAL|EDITOR|NO_COLOR))/g;
let text = '';
beforeAll(() => {
  execFileSync(process.execPath, [script, page], { env });
  text = execFileSync(process.execPath, [script], { env, encoding: 'utf8' });
});
afterAll(() => rmSync(folder, { recursive: true }));

function everyOf(group: Group, path: string): [string, Command][] {
  const here = `${path} ${group.name}`;
  return [
    ...group.commands.map((command): [string, Command] => [`${here} ${command.usage}`, command]),
    ...(group.groups ?? []).flatMap((part) => everyOf(part, here)),
  ];
}

describe('the manual page', () => {
  it('is made the same again, with the date that is asked for', () => {
    expect(execFileSync('cat', [page], { encoding: 'utf8' })).toBe(text);
    expect(text).toMatch(/^\.TH ZONEBOOK 1 2026-01-01 "zonebook \d+\.\d+\.\d+" "User Commands"$/m);
  });

  it('names every variable that the command line reads', () => {
    const source = new URL('../../src/cli/', import.meta.url);
    const read = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .flatMap((name) => [...readFileSync(new URL(name, source), 'utf8').matchAll(variable)])
      .map(([, name]) => name!);
    expect(read.length).toBeGreaterThan(5);
    for (const name of read) {
      expect([name, text.includes(name)]).toEqual([name, true]);
    }
  });
});

needsPeers('mandoc')('mandoc', () => {
  it('finds no fault with it, not even in style', () => {
    const { stdout, status } = spawnSync(peer('mandoc')!, ['-T', 'lint', '-W', 'style', page], {
      encoding: 'utf8',
    });
    expect([stdout, status]).toEqual(['', 0]);
  });

  it('shows every command with its options and examples', () => {
    const args = ['-T', 'utf8', '-O', 'width=250', page];
    const raw = execFileSync(peer('mandoc')!, args, { encoding: 'utf8' });
    // Bold and underlined are a letter, a backspace and the letter again.
    const shown = raw.replace(/.\u0008/g, '').replaceAll('\u00a0', ' ');
    const all = [
      ...commands.map((command): [string, Command] => [`zonebook ${command.usage}`, command]),
      ...groups.flatMap((group) => everyOf(group, 'zonebook')),
    ];
    for (const [usage, command] of all) {
      expect(shown).toContain(`   ${usage}\n`);
      for (const [example] of command.examples) expect(shown).toContain(example);
      for (const name of Object.keys(command.options ?? {})) {
        expect(shown).toContain(`--${optionName(name)}`);
      }
    }
    for (const heading of ['ENVIRONMENT', 'FILES', 'EXIT STATUS']) {
      expect(shown).toContain(`\n${heading}\n`);
    }
  });
});

needsPeers('man', 'groff')('man', () => {
  it('shows it without a warning', () => {
    const { stderr, status } = spawnSync(
      peer('man')!,
      ['--warnings', '-E', 'UTF-8', '-l', '-Tutf8', '-Z', page],
      {
        encoding: 'utf8',
        env: { ...process.env, LC_ALL: 'C.UTF-8', MANROFFSEQ: '', MANWIDTH: '80' },
      },
    );
    expect([stderr, status]).toEqual(['', 0]);
  });
});

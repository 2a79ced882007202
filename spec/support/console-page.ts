/**
 * Pages whose commands are run: blocks of a Markdown page under `<!-- tested: TITLE -->`, in a folder
 * like a fresh checkout with a service of its own. A page names the programs that it needs beside curl
 * and script: `<!-- needs: dig named -->`.
 *
 * Ports, times and hashes differ from run to run. So do values that the page lists in
 * `<!-- varies: 31415 -->`: each stands for one value of the run, the same wherever it is written.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patienceMs } from './patience.ts';
import { freePort } from './ports.ts';
import { programVariable } from './program.ts';
import { checkout } from './test-titles.ts';

export interface Step {
  readonly command: string;
  readonly output: string;
}

export interface Block {
  readonly title: string;
  readonly steps: readonly Step[];
}

export interface Page {
  readonly blocks: readonly Block[];
  /** Programs. */
  readonly needs: readonly string[];
  readonly varying: readonly string[];
  /** Commands that nobody sees, run when the service has started: `<!-- first:` and one a line. */
  readonly first: readonly string[];
}

const entriesOfCheckout = ['package.json', 'bun.lockb', 'src', 'drizzle', 'node_modules'];

/** What `scripts/zonebook` of a page runs: the sources of a checkout, or the executable, which starts in less time. */
export type Entry = 'sources' | 'executable';

/** The parts of a page, each for a service of its own: `<!-- fresh service -->` begins another. */
export function readPages(path: string): Page[] {
  const text = readFileSync(join(checkout, path), 'utf8');
  const whole = { needs: wordsOf(text, 'needs'), varying: wordsOf(text, 'varies') };
  return text.split('<!-- fresh service -->').map((part) => ({ ...whole, ...commandsOf(part) }));
}

function commandsOf(text: string): Pick<Page, 'blocks' | 'first'> {
  const blocks = text.matchAll(/<!-- tested: ([\w -]+) -->\n```console\n([\s\S]*?)```/g);
  return {
    blocks: [...blocks].map(([, title, block]) => ({ title: title!, steps: stepsOf(block!) })),
    first: [...text.matchAll(/<!-- first:\n([\s\S]*?)-->/g)].flatMap(([, lines]) =>
      lines!.trim().split('\n'),
    ),
  };
}

function wordsOf(text: string, label: string): string[] {
  const [, words = ''] = new RegExp(`<!-- ${label}: (.*?) -->`).exec(text) ?? [];
  return words.split(' ').filter((word) => word !== '');
}

/** Commands, which may hold a here-document up to a line END, each with what is printed under it. */
function stepsOf(block: string): Step[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const start = step.includes("<<'END'") ? step.indexOf('\nEND\n') + 1 : 0;
      const end = step.indexOf('\n', start) + 1;
      return { command: step.slice(0, end).trimEnd(), output: step.slice(end) };
    });
}

const whole = (value: string) =>
  new RegExp(`(?<![\\w.])${RegExp.escape(value)}(?![\\w]|\\.\\d)`, 'g');

/** Output without what differs from run to run; the width of a column is one such thing. */
function plain(text: string): string {
  return (
    text
      .replaceAll('\r\n', '\n')
      .replace(/[^\n]*\r\u001b\[K/g, '')
      .replaceAll('\r', '')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/\b[0-9a-f]{64}\b/gi, '<hash>')
      .replace(/"next_cursor":"[\w-]+"/g, '"next_cursor":"<cursor>"')
      // So few milliseconds may be any other number of the page too.
      .replace(/\b\d+ ms\b/g, '<ms>')
      .replace(/[ ]+/g, ' ')
      .replace(/ $/gm, '')
      .replace(/\n\s*\n/g, '\n')
      .trim()
  );
}

function putScripts(folder: string, entry: Entry): void {
  const scripts = join(checkout, 'scripts');
  const built = process.env[programVariable] ?? '';
  if (entry === 'sources' || built === '') {
    symlinkSync(scripts, join(folder, 'scripts'));
    return;
  }
  mkdirSync(join(folder, 'scripts'));
  for (const name of readdirSync(scripts)) {
    if (name !== 'zonebook') symlinkSync(join(scripts, name), join(folder, 'scripts', name));
  }
  const program = `#!/bin/sh\nexec '${built}' "$@"\n`;
  writeFileSync(join(folder, 'scripts/zonebook'), program, { mode: 0o755 });
}

export class PageRun {
  readonly folder = mkdtempSync(join(tmpdir(), 'zonebook-page-'));
  readonly #children: ChildProcess[] = [];
  readonly #env: Record<string, string>;
  readonly #varying: readonly string[];
  /** What is written in the page, and what it is in this run. */
  readonly #actual = new Map<string, string>();

  private constructor(page: Page, env: Record<string, string>) {
    this.#env = env;
    this.#varying = page.varying;
  }

  /** With ports of its own for those that the page and `env` name. */
  static async of(
    page: Page,
    ports: readonly string[],
    env: Record<string, string> = {},
    entry: Entry = 'executable',
  ) {
    const run = new PageRun(page, env);
    for (const name of entriesOfCheckout) {
      symlinkSync(join(checkout, name), join(run.folder, name));
    }
    putScripts(run.folder, entry);
    for (const port of ports) run.#actual.set(port, String(await freePort()));
    return run;
  }

  /** `npm start`, until the service runs; returns what it printed. */
  startService(): Promise<string> {
    const service = this.#start('npm start');
    return new Promise((resolve, reject) => {
      let text = '';
      const hear = (chunk: Buffer) => {
        text += chunk;
        // It greets when everything else has been said.
        if (text.includes('is running')) resolve(text);
      };
      service.stdout!.on('data', hear);
      service.stderr!.on('data', hear);
      service.once('exit', () => reject(new Error(`npm start ended: ${text}`)));
    });
  }

  /** What the page says, and what the command prints, both without what may differ. */
  compare({ command, output }: Step): { actual: string; expected: string } {
    const printed = plain(this.run(command));
    const expected = plain(output);
    this.#bind(expected, printed);
    return { actual: this.#asWritten(printed), expected };
  }

  /** Runs a command as a person would, on a terminal; returns what it shows. */
  run(written: string): string {
    const command = this.asActual(written);
    const background = /^(.*) &$/s.exec(command);
    if (background !== null) {
      this.#start(background[1]!);
      return '';
    }
    const { stdout, error } = spawnSync('script', ['-qc', command, '/dev/null'], {
      cwd: this.folder,
      env: this.#environment(),
      encoding: 'utf8',
      timeout: patienceMs,
      maxBuffer: 1 << 24,
    });
    if (error !== undefined) throw error;
    return stdout;
  }

  #start(command: string): ChildProcess {
    const options = { cwd: this.folder, env: this.#environment(), detached: true } as const;
    const child = spawn('sh', ['-c', command], options);
    this.#children.push(child);
    return child;
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      // The pages are about what a command says, not about what could follow.
      ZONEBOOK_HINTS: 'off',
      NO_COLOR: '1',
      COLUMNS: '400',
      // Whoever runs the commands of a page is called this.
      SUDO_USER: 'anna',
      SUDO_UID: '1000',
      ZONEBOOK_API_LISTEN_PORT: this.#actual.get('3000') ?? '3000',
      ZONEBOOK_DNS_LISTEN_PORT: this.#actual.get('5300') ?? '5300',
      ...Object.fromEntries(
        Object.entries(this.#env).map(([name, value]) => [name, this.asActual(value)]),
      ),
    };
  }

  /** With the ports and values of this run. */
  asActual(text: string): string {
    let actual = text;
    for (const [written, value] of this.#actual) actual = actual.replace(whole(written), value);
    return actual;
  }

  #asWritten(text: string): string {
    let page = text;
    for (const [written, value] of this.#actual) page = page.replace(whole(value), written);
    return page;
  }

  /** Learns values that the page names for the first time. */
  #bind(expected: string, printed: string): void {
    const fresh = this.#varying.filter(
      (value) => !this.#actual.has(value) && expected.match(whole(value)) !== null,
    );
    if (fresh.length === 0) return;
    // One character, of those that nobody uses, stands for each of them while the rest is escaped.
    const marks = fresh.map((_, index) => String.fromCharCode(0xe000 + index));
    let marked = this.asActual(expected);
    for (const [index, value] of fresh.entries()) {
      marked = marked.replace(whole(value), marks[index]!);
    }
    const seen = new Set<string>();
    const pattern = marked.split(/([\ue000-\uf8ff])/).map((part) => {
      const index = marks.indexOf(part);
      if (index < 0) return RegExp.escape(part);
      if (seen.has(part)) return `\\k<v${index}>`;
      seen.add(part);
      return `(?<v${index}>[\\w/+=-]+)`;
    });
    const found = new RegExp(`^${pattern.join('')}$`).exec(printed);
    for (const [index, value] of fresh.entries()) {
      const actual = found?.groups?.[`v${index}`];
      if (actual !== undefined) this.#actual.set(value, actual);
    }
  }

  [Symbol.dispose](): void {
    for (const { pid } of this.#children) {
      try {
        process.kill(-pid!, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    }
    // What was killed may write a moment longer.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }
}

/**
 * README is true: its tested commands run in order, in a fresh copy of the checkout's entry points,
 * and print what it says. Ports and times differ, nothing else may.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needsPeers } from './support/peers.ts';
import { freePort } from './support/ports.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

interface Step {
  readonly command: string;
  readonly output: string;
}

/** The commands of every tested block, in order, with what is printed under each. */
function stepsOf(text: string): Map<string, Step[]> {
  const blocks = text.matchAll(/<!-- tested: (\w+) -->\n```console\n([\s\S]*?)```/g);
  return new Map([...blocks].map(([, title, block]) => [title!, parseBlock(block!)]));
}

function parseBlock(block: string): Step[] {
  const steps: Step[] = [];
  let command = '';
  let output = '';
  let heredoc = false;
  for (const line of block.split('\n')) {
    if (heredoc) {
      command += `\n${line}`;
      heredoc = line !== 'END';
    } else if (line.startsWith('$ ')) {
      if (command !== '') steps.push({ command, output });
      command = line.slice(2);
      output = '';
      heredoc = command.includes("<<'END'");
    } else if (line !== '') {
      output += `${line}\n`;
    }
  }
  steps.push({ command, output });
  return steps;
}

/** Times and hashes differ from run to run, and with the ports the width of a column. */
function normalised(text: string, ports: ReadonlyMap<string, number>): string {
  let plain = text
    .replaceAll('\r', '')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/\b[0-9a-f]{64}\b/g, '<hash>')
    .replace(/ +/g, ' ')
    .replace(/\n\s*\n/g, '\n');
  for (const [written, used] of ports) plain = plain.replaceAll(`:${used}`, `:${written}`);
  return plain.trim();
}

needsPeers(
  'named',
  'dig',
  'curl',
  'script',
)('README', () => {
  let folder = '';
  let service: ChildProcess | undefined;
  const children: ChildProcess[] = [];
  const ports = new Map<string, number>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'zonebook-readme-'));
    for (const entry of [
      'package.json',
      'bun.lockb',
      'scripts',
      'src',
      'drizzle',
      'node_modules',
    ]) {
      symlinkSync(join(root, entry), join(folder, entry));
    }
    for (const port of ['3000', '5300', '5301']) ports.set(port, await freePort());
    service = spawn('npm', ['start'], { cwd: folder, env: environment(), detached: true });
    children.push(service);
    const output = await new Promise<string>((resolve, reject) => {
      let text = '';
      service!.stdout!.on('data', (chunk) => {
        text += chunk;
        if (text.includes('Next, in another terminal')) resolve(text);
      });
      service!.once('exit', () => reject(new Error(`npm start ended: ${text}`)));
    });
    expect(output).toContain('is running');
  });

  afterAll(() => {
    for (const { pid } of children) {
      try {
        process.kill(-pid!, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    }
    rmSync(folder, { recursive: true, force: true });
  });

  function environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      NO_COLOR: '1',
      COLUMNS: '200',
      ZONEBOOK_API_LISTEN_PORT: String(ports.get('3000')),
      ZONEBOOK_DNS_LISTEN_PORT: String(ports.get('5300')),
    };
  }

  /** Runs a command as a person would, on a terminal. */
  function run(command: string): string {
    const actual = [...ports].reduce(
      (text, [written, used]) => text.replaceAll(written, String(used)),
      command,
    );
    const background = /^(.*) &$/s.exec(actual);
    if (background !== null) {
      const options = { cwd: folder, env: environment(), detached: true } as const;
      children.push(spawn('sh', ['-c', background[1]!], options));
      return '';
    }
    return execFileSync('script', ['-qec', actual, '/dev/null'], {
      cwd: folder,
      env: environment(),
      encoding: 'utf8',
      timeout: 60_000,
    });
  }

  for (const [title, steps] of stepsOf(readme)) {
    it(`${title}: prints what it says`, () => {
      for (const { command, output } of steps) {
        expect(normalised(run(command), ports), command).toBe(normalised(output, ports));
      }
    });
  }
});

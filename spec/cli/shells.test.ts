/** The completion scripts in the shells they are for, each with a terminal where it needs one. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { completionScript, type Shell } from '../../src/cli/completion/scripts.ts';
import { patienceMs } from '../support/patience.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { programCommand } from '../support/program.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let env: Record<string, string>;
const folder = mkdtempSync(join(tmpdir(), 'zonebook-shells-'));

beforeAll(async () => {
  service = await startService();
  for (const name of ['example.com', 'example.net']) {
    await service.must('POST', '/zones', {
      name,
      mname: 'ns1.example.com',
      rname: 'hostmaster@example.com',
    });
  }
  const command = join(folder, 'zonebook');
  writeFileSync(command, `#!/bin/sh\nexec ${programCommand} "$@"\n`);
  chmodSync(command, 0o755);
  writeFileSync(join(folder, 'hosts.zone'), '');
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    writeFileSync(join(folder, `completion.${shell}`), completionScript(shell));
  }
  env = {
    HOME: folder,
    PATH: [folder, process.env.PATH].join(delimiter),
    TERM: 'xterm',
    ZONEBOOK_DATA_DIR: service.dataDir,
  };
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Types a line and a tab in a shell that has a terminal, until what stands there ends as expected. Prints
 * what the shell has shown since the line began.
 */
const typist = String.raw`
import os, pty, re, select, sys, time
start, line, wanted, patience, *shell = sys.argv[1:]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(shell[0], shell)
seen = b''
def read(until, seconds):
    global seen
    end = time.time() + seconds
    while time.time() < end and not re.search(until.encode(), seen):
        if select.select([fd], [], [], 0.1)[0]:
            try: seen += os.read(fd, 65536)
            except OSError: break
os.write(fd, (start + '; echo REA''DY\n').encode())
read('READY\r', int(patience))
seen = b''
os.write(fd, (line + '\t').encode())
read(wanted, int(patience))
os.kill(pid, 9)
os.waitpid(pid, 0)
sys.stdout.write(seen.decode(errors='replace'))
`;

function typed(shell: readonly string[], start: string, line: string, wanted: string): string {
  const args = ['-c', typist, start, line, wanted, String(patienceMs / 1000), ...shell];
  return execFileSync(peer('dnspython')!, args, { env, cwd: folder, encoding: 'utf8' });
}

const lines = [
  ['zonebook zone get example.n', 'example.net'],
  ['zonebook zone expo', 'zonebook zone export'],
  ['zonebook zone list --sort=se', '--sort=serial'],
  ['zonebook role grant x --actions record:read,zone:r', 'record:read,zone:read'],
  ['zonebook zone import example.com hos', 'hosts.zone'],
  ['zonebook zone export example.com --file=hos', '--file=hosts.zone'],
] as const;

const starts: Readonly<Record<Exclude<Shell, 'fish'>, readonly [string[], string]>> = {
  bash: [['bash', '--norc', '--noprofile', '-i'], `source ${folder}/completion.bash`],
  zsh: [
    ['zsh', '-f', '-i'],
    `autoload -Uz compinit; compinit -u -D; source ${folder}/completion.zsh`,
  ],
};

for (const [shell, [command, start]] of Object.entries(starts)) {
  needsPeers(shell, 'dnspython')(`${shell} at a terminal`, () => {
    it.each(lines)('completes %j', (line, becomes) => {
      expect(typed(command, `PS1='> '; ${start}`, line, becomes)).toContain(becomes);
    });
  });
}

needsPeers('fish')('fish', () => {
  it.each(lines)('completes %j', (line, becomes) => {
    const script = `source ${folder}/completion.fish; complete -C '${line}'`;
    const args = ['--no-config', '-c', script];
    const out = execFileSync(peer('fish')!, args, { env, cwd: folder, encoding: 'utf8' });
    const last = becomes.split(' ').at(-1)!;
    expect(out.split('\n').map((each) => each.split('\t', 1)[0])).toContain(last);
  });
});

it.each(['bash', 'zsh'])('%s finds no fault with its script', (shell) => {
  const path = peer(shell);
  if (path === undefined) return;
  expect(
    execFileSync(path, ['-n', join(folder, `completion.${shell}`)], { encoding: 'utf8' }),
  ).toBe('');
});

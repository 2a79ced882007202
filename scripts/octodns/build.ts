/** Installs octoDNS with its provider for transfers and updates, in an environment of Python of its own. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtOnce, run } from '../built-once.ts';

/** The releases that are tried: of the program, and of its provider octodns-bind. */
export const octodnsVersions = { program: '1.22.0', provider: '1.1.0' } as const;

/** The interpreter that has it; `octodns-sync` and `octodns-dump` stand beside it. */
export async function buildOctodns(): Promise<string> {
  const { program, provider } = octodnsVersions;
  const python = 'bin/python';
  const folder = await builtOnce({
    name: 'octodns',
    version: `${program}-${provider}-moved`,
    program: 'bin/octodns-sync',
    async build(made) {
      await run('python3', ['-m', 'venv', made], made);
      const wanted = [`octodns==${program}`, `octodns-bind==${provider}`];
      await run(join(made, python), ['-m', 'pip', 'install', '--quiet', ...wanted], made);
      for (const name of ['octodns-sync', 'octodns-dump']) findOwnPython(join(made, 'bin', name));
    },
  });
  return join(folder, python);
}

/** A program of an environment names its interpreter by its path, which is another after the move. */
function findOwnPython(program: string): void {
  const [, ...rest] = readFileSync(program, 'utf8').split('\n');
  const first = [`#!/bin/sh`, `'''exec' "$(dirname "$0")/python" "$0" "$@"`, `' '''`];
  writeFileSync(program, [...first, ...rest].join('\n'));
}

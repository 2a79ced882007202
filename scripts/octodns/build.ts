/** Installs octoDNS with its provider for transfers and updates, in an environment of Python of its own. */
import { join } from 'node:path';
import { builtOnce, run } from '../built-once.ts';

const version = '1.22.0';
const providerVersion = '1.1.0';

/** The interpreter that has it: `python -m octodns.cmds.sync`. */
export async function buildOctodns(): Promise<string> {
  const python = 'bin/python';
  const folder = await builtOnce({
    name: 'octodns',
    version: `${version}-${providerVersion}`,
    program: 'bin/octodns-sync',
    async build(made) {
      await run('python3', ['-m', 'venv', made], made);
      const wanted = [`octodns==${version}`, `octodns-bind==${providerVersion}`];
      await run(join(made, python), ['-m', 'pip', 'install', '--quiet', ...wanted], made);
    },
  });
  return join(folder, python);
}

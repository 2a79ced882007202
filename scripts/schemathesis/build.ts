/** Installs Schemathesis, which tries a service by its OpenAPI document, in an environment of Python of its own. */
import { join } from 'node:path';
import { builtOnce, run } from '../built-once.ts';

const version = '4.32.5';

/** The interpreter that has it: `python -m schemathesis.cli`. */
export async function buildSchemathesis(): Promise<string> {
  const python = 'bin/python';
  const folder = await builtOnce({
    name: 'schemathesis',
    version,
    program: 'bin/schemathesis',
    async build(made) {
      await run('python3', ['-m', 'venv', made], made);
      const wanted = ['-m', 'pip', 'install', '--quiet', `schemathesis==${version}`];
      await run(join(made, python), wanted, made);
    },
  });
  return join(folder, python);
}

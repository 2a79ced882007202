/**
 * The program that tests start as a process of its own: the executable, which is made of these sources once
 * per run (global-setup.ts) and starts in a quarter of the time; the sources themselves where none can be made.
 */
import { fileURLToPath } from 'node:url';

/** The variable with the path of the executable; empty or left out where there is none. */
export const programVariable = 'TESTED_PROGRAM';

const executable = process.env[programVariable] ?? '';
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The file to start, and the arguments that go before those of the command line. */
export const program: { readonly file: string; readonly args: readonly string[] } =
  executable === ''
    ? { file: process.execPath, args: ['--disable-warning=ExperimentalWarning', main] }
    : { file: executable, args: [] };

/** The same as the beginning of a command of a shell. */
export const programCommand: string = [program.file, ...program.args]
  .map((word) => `'${word}'`)
  .join(' ');

/** What an argument names: a file, or standard input when it is a hyphen. */
import { readFile } from 'node:fs/promises';
import { CliFailure, exitCode } from './exit-code.ts';
import type { Surroundings } from './services.ts';

export async function readAll(file: string, { stdin }: Surroundings): Promise<string> {
  if (file !== '-') return readText(file);
  const pieces: Buffer[] = [];
  for await (const piece of stdin) pieces.push(Buffer.from(piece as string));
  return Buffer.concat(pieces).toString('utf8');
}

export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : message;
    throw new CliFailure(exitCode.failure, `${file}: ${reason}`);
  }
}

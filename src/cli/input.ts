/** What an argument names: a file, or standard input when it is a hyphen. */
import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { CliFailure, exitCode } from './failure.ts';
import type { Environment } from './environment.ts';

export async function readAll(file: string, { stdin }: Environment): Promise<string> {
  if (file !== '-') return readText(file);
  return (await readPieces(stdin)).toString('utf8');
}

/** The text of a file as it is; a failure when it is not UTF-8, as other bytes would be lost. */
export async function readUtf8(file: string, { stdin }: Environment): Promise<string> {
  const bytes = file === '-' ? await readPieces(stdin) : await readBytes(file);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new CliFailure(
    exitCode.failure,
    `${file === '-' ? 'standard input' : file}: is not UTF-8`,
    'bytes above 127 can be written as \\DDD',
  );
}

async function readPieces(stdin: Environment['stdin']): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stdin) pieces.push(Buffer.from(piece as string));
  return Buffer.concat(pieces);
}

export async function readText(file: string): Promise<string> {
  return (await readBytes(file)).toString('utf8');
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : message;
    throw new CliFailure(exitCode.failure, `${file}: ${reason}`);
  }
}

/** Files that commands write: all of one or none of it, and an error says which it was. */
import { open, rm } from 'node:fs/promises';
import { errorOfFile } from '../base/file-error.ts';

/** Writes a new file that nobody else may read. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await withPath(path, () => handle.writeFile(text));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Does something with a file that is open, whose errors do not say which it is. */
export async function withPath(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw errorOfFile(path, error);
  }
}

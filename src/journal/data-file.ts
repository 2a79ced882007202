/**
 * Files of a data folder. Each belongs to whom the folder belongs to, whoever makes it: what root restores is the
 * service's to open. None is anybody else's to read, and what is replaced is on disk before it is there.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  fchownSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorOfFile } from '../base/file-error.ts';

const ownMode = 0o600;

/** Makes an empty file, unless `mayBeThere` allows for one that is there already. */
export function makeFile(path: string, mayBeThere = false): void {
  const handle = openSync(path, mayBeThere ? 'a' : 'wx', ownMode);
  try {
    giveToFolder(handle, path);
  } finally {
    closeSync(handle);
  }
}

/** Replaces a file; it is on disk when this returns. `partial` is what it is called until then. */
export function replaceFile(path: string, text: string, partial = `${path}.new`): void {
  putFile(path, text, partial, () => renameSync(partial, path));
}

/** Makes a file, whole and on disk when this returns, or none. EEXIST where one is there, which is left as it is. */
export function createFile(path: string, text: string): void {
  const partial = `${path}.new`;
  putFile(path, text, partial, () => {
    linkNew(partial, path);
    rmSync(partial);
  });
}

/** Removes what `createFile` has left of a file when its process was killed. */
export function removePartial(path: string): void {
  rmSync(`${path}.new`, { force: true });
}

function linkNew(partial: string, path: string): void {
  try {
    linkSync(partial, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    // FAT and some file systems of networks have no links: there a kill may leave a part.
    copyFileSync(partial, path, constants.COPYFILE_EXCL);
    syncFile(path);
  }
}

/** `give` is called once the bytes of the file are on disk, and gives it its name. */
function putFile(path: string, text: string, partial: string, give: () => void): void {
  try {
    rmSync(partial, { force: true });
    // Made anew: a link that somebody has put there is not followed.
    const handle = openSync(partial, 'wx', ownMode);
    try {
      writeFileSync(handle, text);
      giveToFolder(handle, path);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    give();
  } catch (error) {
    rmSync(partial, { force: true });
    throw errorOfFile(path, error);
  }
  syncFile(dirname(path));
}

/** The same without holding up this thread. One at a time, and none beside `replaceFile` of the same file. */
export async function replaceFileAside(path: string, text: string): Promise<void> {
  const partial = `${path}.new`;
  rmSync(partial, { force: true });
  const file = await open(partial, 'wx', ownMode);
  try {
    await file.writeFile(text);
    giveToFolder(file.fd, path);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, path);
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Only root can give anything away. */
function giveToFolder(handle: number, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  fchownSync(handle, uid, gid);
}

/** Waits until a file, or the entries of a folder, are on disk. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * The local socket of a data folder, and what is wrong when its path is too long for the system:
 * in the words of the configuration, for the service and its clients alike.
 */
import { join } from 'node:path';
import { limits } from './limits.ts';

const fileName = 'zonebook.sock';

export function socketPathOf(dataDir: string): string {
  return join(dataDir, fileName);
}

/** Undefined when sockets may have the path; the system's own word would be "invalid argument". */
export function problemOfSocketPath(
  dataDir: string,
): { readonly key: string; readonly problem: string; readonly allowed: string } | undefined {
  const path = socketPathOf(dataDir);
  const bytes = Buffer.byteLength(path);
  if (bytes <= limits.socketPathBytes) return undefined;
  return {
    key: 'data_dir',
    problem: `its socket would be ${path}, a path of ${bytes} bytes`,
    allowed: `a folder whose socket has a path of at most ${limits.socketPathBytes} bytes`,
  };
}

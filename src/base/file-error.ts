/** With the path of a file that is open: errors of the system do not say which it is. */
export function errorOfFile(path: string, error: unknown): unknown {
  const isUnnamed = error instanceof Error && 'syscall' in error && !('path' in error);
  return isUnnamed ? Object.assign(error, { path }) : error;
}

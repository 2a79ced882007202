/** The file can not be used: in use by another process, not ours, of another schema, or not writable. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}

/** Makes a writer over a database that is open and of today's schema, with a connection of its own that writes. */
import { systemClock } from '../base/clock.ts';
import { noteErasures } from '../journal/erasure.ts';
import { Journal } from '../journal/journal.ts';
import { type Connection, openSqlite } from '../journal/sqlite.ts';
import type { WriteGate } from '../journal/storage.ts';
import { walPagesFor } from '../journal/wal-room.ts';
import { setUpWriter } from '../journal/writer-settings.ts';
import { Keystore } from '../keystore/keystore.ts';
import { Writer } from './writer.ts';
import type { WriterServices } from './executor.ts';
import type { WriterData } from './messages.ts';

export interface OpenWriter {
  readonly writer: Writer;
  readonly connection: Connection;
  /** Ends it once everything that was submitted is on disk. */
  close(): Promise<void>;
}

export function openWriter(
  data: WriterData,
  gateOf: (connection: Connection) => WriteGate,
  listeners: Pick<WriterServices, 'measure' | 'signed'> = {},
): OpenWriter {
  const { file, checkpoints, erasures, keyFile, insecureKeyFile, commits, options } = data;
  const connection = openSqlite(file, { timeout: 5000, fileMustExist: true });
  setUpWriter(connection, checkpoints);
  // A thread of its own checkpoints (journal/checkpointer.ts); a commit does only where that does not come round to it.
  if (checkpoints === 'own') connection.pragma(`wal_autocheckpoint = ${walPagesFor(file)}`);
  if (erasures !== undefined) noteErasures(connection, erasures);
  const writer = new Writer(
    {
      connection,
      journal: new Journal(connection),
      keystore: new Keystore(connection, keyFile, insecureKeyFile),
      clock: systemClock,
      storage: gateOf(connection),
      commits,
      ...listeners,
    },
    options,
  );
  return {
    writer,
    connection,
    async close() {
      await writer.close();
      connection.close();
    },
  };
}

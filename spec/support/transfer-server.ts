/** A nameserver over the database of a service in this process, for those who want its zones by AXFR. */
import { join } from 'node:path';
import { openReader } from '../../src/journal/reader-connection.ts';
import { NodeReader } from '../../src/query/node-reader.ts';
import { SnapshotPool } from '../../src/query/snapshot.ts';
import { startMemoryServer } from './memory-server.ts';

export interface TransferServer extends AsyncDisposable {
  readonly port: number;
}

/** Serves what the database in a folder holds, to this host. */
export async function startTransferServer(folder: string): Promise<TransferServer> {
  const file = join(folder, 'zonebook.db');
  const connection = openReader(file);
  const snapshots = new SnapshotPool(file);
  const server = await startMemoryServer([], {}, { nodes: new NodeReader(connection), snapshots });
  return {
    port: server.port,
    async [Symbol.asyncDispose]() {
      await server.stop();
      snapshots.close();
      connection.close();
    },
  };
}

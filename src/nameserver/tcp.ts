/**
 * The TCP listener: holds up to a number of connections. When all are taken, a new one takes the place of
 * the one that is idle longest (RFC 7766 6.2.3); while none is idle, the new one is closed at once, so that
 * those who are served stay served.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Log } from '../telemetry/log.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import type { Dispatcher } from './dispatch.ts';

export interface TcpOptions extends ConnectionOptions {
  readonly maxConnections: number;
}

export interface TcpServer {
  readonly port: number;
  /** Accepts no more, answers what is in work (up to `deadlineMs`) and closes. */
  stop(deadlineMs: number): Promise<void>;
}

export async function listenTcp(
  address: string,
  port: number,
  dispatcher: Dispatcher,
  options: TcpOptions,
  log: Log,
): Promise<TcpServer> {
  const connections = new Set<Connection>();
  // A client may close its side after its last query and still wait for the answers.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (connections.size >= options.maxConnections) {
      const idle = longestIdle(connections);
      if (idle === undefined) {
        socket.on('error', () => {});
        socket.destroy();
        return;
      }
      connections.delete(idle);
      idle.cut();
    }
    const connection = new Connection(socket, dispatcher, options);
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
  });
  server.listen({ host: address, port });
  // A failure to bind rejects here, for the one who starts the service.
  await once(server, 'listening');
  server.on('error', (error) => log.error('dns.socket-failed', { transport: 'tcp', error }));
  const bound = server.address();

  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : port,
    async stop(deadlineMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of connections) connection.stop();
      const deadline = setTimeout(() => {
        for (const connection of connections) connection.cut();
      }, deadlineMs);
      await closed;
      clearTimeout(deadline);
    },
  };
}

function longestIdle(connections: Iterable<Connection>): Connection | undefined {
  let longest: Connection | undefined;
  for (const connection of connections) {
    const { idleSinceMs } = connection;
    if (idleSinceMs === undefined) continue;
    if (longest === undefined || idleSinceMs < longest.idleSinceMs!) longest = connection;
  }
  return longest;
}

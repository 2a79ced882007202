/**
 * The HTTP listeners: the one of the network (TCP, with TLS when a certificate is configured) and the local
 * socket, which only the service's own user can open and which therefore has full rights.
 */
import { setMaxListeners } from 'node:events';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { isIPv6 } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { limits } from '../base/limits.ts';
import { problemOfSocketPath, socketPathOf } from '../base/socket-path.ts';
import type { App, Bindings } from '../http/app.ts';
import { refuseUnreadable, unreadable } from '../http/unreadable.ts';
import { type Config, ConfigError } from './config.ts';
import { HttpConnections, serverOptions } from './http-connections.ts';

/**
 * Suites with forward secrecy and authenticated encryption: all of TLS 1.3, and those of TLS 1.2 without CBC (RFC 9325
 * 4.2). ECDSA and RSA certificates alike.
 */
const tlsCiphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

export interface HttpListener {
  readonly url: string;
  /** 0 for the local socket. */
  readonly port: number;
  /**
   * Accepts nothing more and ends when requests in work are answered, or after `limits.drainMs`; tells how many
   * were cut off then. Asked again, it tells the same.
   */
  close(): Promise<number>;
}

export async function listenOnNetwork(app: App, config: Config['api']): Promise<HttpListener> {
  const { tlsCertFile, tlsKeyFile } = config;
  const secure = tlsCertFile !== undefined && tlsKeyFile !== undefined;
  const server = secure
    ? createTlsServer({
        ...serverOptions,
        cert: readFileSync(tlsCertFile),
        key: readFileSync(tlsKeyFile),
        minVersion: 'TLSv1.2',
        ciphers: tlsCiphers,
        handshakeTimeout: limits.headMs,
      })
    : createServer(serverOptions);
  const close = serveOn(server, app, 'network');
  await listening(server, () => server.listen(config.listenPort, config.listenAddr));
  const { port } = server.address() as { port: number };
  const host = isIPv6(config.listenAddr) ? `[${config.listenAddr}]` : config.listenAddr;
  const url = `${secure ? 'https' : 'http'}://${host}:${port}`;
  return { url, port, close };
}

/** The path of the local socket; a folder whose path is too long for one is refused. */
export function localSocketPath(dataDir: string): string {
  const problem = problemOfSocketPath(dataDir);
  if (problem !== undefined) throw new ConfigError([problem]);
  return socketPathOf(dataDir);
}

/** The database is locked by this process, so a socket that is there already is left over. */
export async function listenLocally(app: App, path: string): Promise<HttpListener> {
  rmSync(path, { force: true });
  const server = createServer(serverOptions);
  const close = serveOn(server, app, 'local');
  // The folder is 0700 and the mask keeps others out from the first moment on.
  const mask = process.umask(0o177);
  try {
    await listening(server, () => server.listen(path));
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o600);
  return { url: path, port: 0, close };
}

/** Serves requests of a listener; returns what closes it. */
function serveOn(
  server: Server,
  app: App,
  door: NonNullable<Bindings['door']>,
): HttpListener['close'] {
  const stopping = new AbortController();
  // One for each body that is being read.
  setMaxListeners(0, stopping.signal);
  const { signal } = stopping;
  // It puts light stand-ins for Request and Response in place, which halves the cost of a request.
  const listener = getRequestListener(
    (request, env) => app.fetch(request, { ...env, door, stopping: signal }),
    { errorHandler: unreadable },
  ) as RequestListener;
  refuseUnreadable(server);
  const connections = new HttpConnections(server, listener, stopping);
  let closing: Promise<number> | undefined;
  return () => (closing ??= connections.close());
}

function listening(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    listen();
  });
}

/** Where a listener of this host can be asked: one that takes every address is asked by loopback. */
export function reachableAddress(listenAddress: string): string {
  if (listenAddress === '0.0.0.0') return '127.0.0.1';
  return listenAddress === '::' ? '::1' : listenAddress;
}

/**
 * The HTTP doors: the network one (TCP, with TLS when a certificate is configured) and the local
 * socket, which only the service's own user can open and which therefore has full rights.
 */
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { isIPv6 } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { problemOfSocketPath, socketPathOf } from '../base/socket-path.ts';
import type { App, Bindings } from '../http/app.ts';
import { refuseUnreadable, unreadable } from '../http/unreadable.ts';
import type { ApiConfig } from './config.ts';
import { ConfigError } from './config-error.ts';

/** Milliseconds that requests in work have when a door closes. */
const drainMs = 10_000;

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

export interface HttpDoor {
  readonly url: string;
  /** 0 for the local socket. */
  readonly port: number;
  /** Accepts nothing more and ends when requests in work are answered, 10 s at most. */
  close(): Promise<void>;
}

export async function openNetworkDoor(app: App, config: ApiConfig): Promise<HttpDoor> {
  const listener = listenerOf(app, 'network');
  const { tlsCertFile, tlsKeyFile } = config;
  const secure = tlsCertFile !== undefined && tlsKeyFile !== undefined;
  const server = secure
    ? createTlsServer(
        {
          cert: readFileSync(tlsCertFile),
          key: readFileSync(tlsKeyFile),
          minVersion: 'TLSv1.2',
          ciphers: tlsCiphers,
        },
        listener,
      )
    : createServer(listener);
  refuseUnreadable(server);
  await listening(server, () => server.listen(config.listenPort, config.listenAddr));
  const { port } = server.address() as { port: number };
  const host = isIPv6(config.listenAddr) ? `[${config.listenAddr}]` : config.listenAddr;
  const url = `${secure ? 'https' : 'http'}://${host}:${port}`;
  return { url, port, close: () => drained(server) };
}

/** The path of the local socket; a folder whose path is too long for one is refused. */
export function localSocketPath(dataDir: string): string {
  const problem = problemOfSocketPath(dataDir);
  if (problem !== undefined) throw new ConfigError([problem]);
  return socketPathOf(dataDir);
}

/** The database is locked by this process, so a socket that is there already is left over. */
export async function openLocalDoor(app: App, path: string): Promise<HttpDoor> {
  rmSync(path, { force: true });
  const server = createServer(listenerOf(app, 'local'));
  refuseUnreadable(server);
  // The folder is 0700 and the mask keeps others out from the first moment on.
  const mask = process.umask(0o177);
  try {
    await listening(server, () => server.listen(path));
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o600);
  return { url: path, port: 0, close: () => drained(server) };
}

function listenerOf(app: App, door: NonNullable<Bindings['door']>): RequestListener {
  // It puts light stand-ins for Request and Response in place, which halves the cost of a request.
  return getRequestListener((request, env) => app.fetch(request, { ...env, door }), {
    errorHandler: unreadable,
  }) as RequestListener;
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

async function drained(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(timer);
}

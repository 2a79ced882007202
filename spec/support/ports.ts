/**
 * Free ports on loopback addresses, for servers that a test starts.
 *
 * A port counts as free when UDP and TCP can both be bound, since DNS needs both. Ports are drawn
 * below the range that the kernel gives to outgoing connections, and claimed by a file before they are tried, so that
 * neither a client nor another test has one while its server binds it.
 */
import { createSocket } from 'node:dgram';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const firstPort = 12_000;
const portCount = 20_000;
const attempts = 200;

/** Ports handed out by this process; none is given twice. */
const given = new Set<number>();

/** Holds a file for each port that a process of the suite was given, with the id of that process. */
const claims = join(tmpdir(), `zonebook-ports-${userInfo().uid}`);
process.once('exit', () => {
  for (const port of given) rmSync(join(claims, String(port)), { force: true });
});

/** A port free on UDP and TCP at one address of loopback (`127.0.0.1` unless told). */
export function freePort(address = '127.0.0.1'): Promise<number> {
  return freePortAt([address]);
}

/** A port free on UDP and TCP at every one of these addresses, as for servers that share a port. */
export async function freePortAt(addresses: readonly string[]): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = firstPort + Math.floor(Math.random() * portCount);
    if (given.has(port) || !claim(port)) continue;
    given.add(port);
    const free = await Promise.all(
      addresses.flatMap((address) => [bindsUdp(port, address), bindsTcp(port, address)]),
    );
    if (free.every(Boolean)) return port;
    given.delete(port);
    rmSync(join(claims, String(port)), { force: true });
  }
  throw new Error(`no port is free at ${addresses.join(', ')}`);
}

/** False for a port that another process of the suite was given and may be about to use. */
function claim(port: number): boolean {
  mkdirSync(claims, { recursive: true });
  const file = join(claims, String(port));
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    // The file of a process that was killed goes; the port may be drawn again.
    if (!isClaimed(file)) rmSync(file, { force: true });
    return false;
  }
}

function isClaimed(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}

let lastHost = Math.floor(Math.random() * 200);

/**
 * An address of 127.0.0.0/8 other than 127.0.0.1, for a secondary that must be told from others
 * by its address. Successive answers differ.
 */
export function loopbackAddress(): string {
  lastHost = (lastHost + 1) % 250;
  return `127.${1 + (process.pid % 250)}.${1 + (Math.floor(process.pid / 250) % 250)}.${2 + lastHost}`;
}

function bindsUdp(port: number, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    socket.once('error', () => {
      socket.close();
      resolve(false);
    });
    socket.bind({ port, address, exclusive: true }, () => socket.close(() => resolve(true)));
  });
}

function bindsTcp(port: number, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: address, exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}

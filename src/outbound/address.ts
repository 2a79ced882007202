/**
 * Addresses of other servers: `host:port` taken apart, and IP addresses in one spelling.
 *
 * An IPv4 address that came through an IPv6 socket (`::ffff:192.0.2.1`) is the IPv4 address, and a
 * scope (`%eth0`) is no part of the address.
 */
import { isIP, isIPv4, SocketAddress } from 'node:net';
import { networkInterfaces } from 'node:os';
import { parseIpv4, parseIpv6 } from '../dns/rdata/fields/address.ts';

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

const defaultPort = 53;

/** Takes `host`, `host:port`, `[v6]`, `[v6]:port` or a bare IPv6 address apart. */
export function splitHostAndPort(text: string): HostAndPort {
  const bracketed = /^\[([^\]]*)\](?::(\d+))?$/.exec(text);
  if (bracketed !== null) {
    return { host: bracketed[1]!, port: Number(bracketed[2] ?? defaultPort) };
  }
  const colon = text.lastIndexOf(':');
  if (colon < 0 || isIP(text) === 6) return { host: text, port: defaultPort };
  return { host: text.slice(0, colon), port: Number(text.slice(colon + 1)) };
}

/** An address with its port, brackets around IPv6. */
export function joinHostAndPort(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** The one spelling of an IP address; what is none comes back as it is. */
export function canonicalAddress(address: string): string {
  if (isIPv4(address)) return address;
  const unscoped = address.includes('%') ? address.slice(0, address.indexOf('%')) : address;
  if (isIP(unscoped) !== 6) return unscoped;
  const spelled = new SocketAddress({ address: unscoped, family: 'ipv6' }).address;
  const mapped = spelled.startsWith('::ffff:') ? spelled.slice('::ffff:'.length) : '';
  return isIPv4(mapped) ? mapped : spelled;
}

/** The bytes of an IP address, 4 or 16; undefined for other texts. A scope is left out. */
export function bytesOf(address: string): Buffer | undefined {
  const [unscoped = ''] = address.split('%');
  return parseIpv4(address) ?? parseIpv6(unscoped);
}

/** Writes the bytes of an IP address, 4 or 16; returns how many, 0 for other texts. */
export function writeAddress(address: string, into: Uint8Array, start: number): number {
  const bytes = parseIpv4(address) ?? bytesOf(canonicalAddress(address));
  if (bytes === undefined) return 0;
  into.set(bytes, start);
  return bytes.length;
}

/** True for addresses of this host's loopback, in canonical spelling. */
export function isLoopback(address: string): boolean {
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}

/**
 * Where a listener of this host can be asked: one that takes every address is asked by loopback. That of `::` takes
 * IPv4 too, and is asked by it where IPv6 is turned off.
 */
export function reachableAddress(
  listenAddr: string,
  interfaces: () => ReturnType<typeof networkInterfaces> = networkInterfaces,
): string {
  const address = canonicalAddress(listenAddr);
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address !== '::') return listenAddr;
  const own = Object.values(interfaces()).flatMap((infos) => infos?.map((info) => info.address));
  return own.includes('::1') ? '::1' : '127.0.0.1';
}

const groupsOf64 = 4;

/** What an address is counted as: one of IPv4 itself, of IPv6 its /64, which one host can choose addresses from. */
export function networkOf(address: string): string {
  const canonical = canonicalAddress(address);
  const bytes = canonical.includes(':') ? bytesOf(canonical) : undefined;
  if (bytes === undefined) return canonical;
  const groups = Array.from({ length: groupsOf64 }, (_, at) => bytes.readUInt16BE(2 * at));
  const prefix = groups.map((group) => group.toString(16)).join(':');
  return `${canonicalAddress(`${prefix}::`)}/64`;
}

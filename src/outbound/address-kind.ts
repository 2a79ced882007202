/**
 * Kinds of IP addresses, and prefixes of them: which addresses lead where nobody outside this host's network should
 * be able to send it.
 *
 * An IPv6 address may carry an IPv4 address that a translator or a tunnel sends to (RFC 4291 2.5.5, RFC 6052, RFC
 * 3056, RFC 4380, RFC 5214). Each address that it may lead to is judged, so that no spelling gets around a rule.
 */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { canonicalAddress, octetsOf } from './address.ts';

/** Kinds that `outbound.deny` may name beside prefixes. */
export const addressKinds = ['unspecified', 'link-local', 'multicast', 'broadcast'] as const;
export type AddressKind = (typeof addressKinds)[number];

const prefixesOf: Readonly<Record<AddressKind, readonly string[]>> = {
  // Some systems take 0.0.0.0 and :: for this host.
  unspecified: ['0.0.0.0/8', '::/128'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  broadcast: ['255.255.255.255/32'],
};

/** Loopback, private and shared addresses, and what is reserved for uses inside one network (RFC 6890). */
const privatePrefixes = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '240.0.0.0/4',
  '::1/128',
  '64:ff9b:1::/48',
  'fc00::/7',
  'fec0::/10',
];

/** What reads a list of addresses and prefixes; throws TypeError for one that is neither. */
export function blockListOf(prefixes: readonly string[]): BlockList {
  const list = new BlockList();
  for (const prefix of prefixes) {
    const [address = '', length] = prefix.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (length === undefined)
      list.addAddress(canonicalAddress(address), familyOf(canonicalAddress(address)));
    else list.addSubnet(address, Number(length), family);
  }
  return list;
}

/** True for an IP address, or one with the length of a prefix behind it. */
export function isPrefix(text: string): boolean {
  const [address = '', length, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || more.length > 0) return false;
  if (length === undefined) return true;
  return /^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128);
}

export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

const lists = new Map(addressKinds.map((kind) => [kind, blockListOf(prefixesOf[kind])]));
const privateList = blockListOf(privatePrefixes);

/** The addresses of this host, and the broadcast addresses of its networks. */
interface HostAddresses {
  readonly own: ReadonlySet<string>;
  readonly broadcast: ReadonlySet<string>;
}

export function hostAddresses(): HostAddresses {
  const own = new Set<string>();
  const broadcast = new Set<string>();
  for (const each of Object.values(networkInterfaces()).flat()) {
    if (each === undefined) continue;
    own.add(canonicalAddress(each.address));
    // A network of one or two addresses has none (RFC 3021).
    if (each.family === 'IPv4' && octetsOf(each.netmask)![3]! < 254) {
      broadcast.add(broadcastOf(each.address, each.netmask));
    }
  }
  return { own, broadcast };
}

function broadcastOf(address: string, netmask: string): string {
  const mask = octetsOf(netmask)!;
  return octetsOf(address)!
    .map((octet, index) => octet | (~mask[index]! & 0xff))
    .join('.');
}

export function isOfKind(address: string, kind: AddressKind, host: HostAddresses): boolean {
  if (lists.get(kind)!.check(address, familyOf(address))) return true;
  return kind === 'broadcast' && host.broadcast.has(address);
}

/** True for addresses that mean something inside this host or its network alone, or that get behind its firewall. */
export function isPrivate(address: string, host: HostAddresses): boolean {
  return privateList.check(address, familyOf(address)) || host.own.has(address);
}

/** An address, in canonical spelling, and the IPv4 addresses that it may lead to. */
export function facesOf(address: string): readonly string[] {
  const octets = octetsOf(address);
  if (octets?.length !== 16) return [address];
  const ipv4At = (start: number) => octets.slice(start, start + 4).join('.');
  const begins = (...prefix: number[]) => prefix.every((octet, index) => octets[index] === octet);
  const isZero = (from: number, to: number) => octets.slice(from, to).every((octet) => octet === 0);
  const faces = [address];
  const isHost = isZero(0, 15) && octets[15]! <= 1;
  // ::a.b.c.d, which is given up, and ::ffff:0:a.b.c.d of stateless translators (RFC 4291 2.5.5.1, RFC 2765 2.1).
  if (isZero(0, 12) && !isHost) faces.push(ipv4At(12));
  if (isZero(0, 8) && octets[8] === 0xff && octets[9] === 0xff) faces.push(ipv4At(12));
  // NAT64: the well-known prefix, and the one that networks use for themselves (RFC 6052 2.1, RFC 8215).
  if (begins(0, 0x64, 0xff, 0x9b)) faces.push(ipv4At(12));
  // 6to4, and Teredo: the server, and the client with its bytes inverted.
  if (begins(0x20, 0x02)) faces.push(ipv4At(2));
  if (begins(0x20, 0x01, 0, 0)) {
    const client = octets.slice(12).map((octet) => octet ^ 0xff);
    faces.push(ipv4At(4), client.join('.'));
  }
  // ISATAP, in any network.
  if ((octets[8]! & 0xfd) === 0 && octets[9] === 0 && octets[10] === 0x5e && octets[11] === 0xfe) {
    faces.push(ipv4At(12));
  }
  return faces;
}

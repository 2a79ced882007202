/**
 * The outbound policy: which addresses the service contacts because somebody named them (`outbound.deny`,
 * `outbound.allow`). Whoever may name an address would else scan, or speak to, whatever this host reaches.
 *
 * ```
 *   a listener of the service itself            never, while deny names own-listeners
 *   an address that allow covers                for everybody
 *   an address or kind that deny names          never
 *   loopback, private, of this host             where somebody named it who may reach that far
 *   any other                                   for everybody
 * ```
 * A Destination is an address that passed, and sockets are opened to Destinations only (sockets.ts). What is judged
 * is the IP address that is used, after the host was looked up.
 *
 * An IPv6 address may carry an IPv4 address that a translator or a tunnel sends to (RFC 4291 2.5.5, RFC 6052, RFC
 * 3056, RFC 4380, RFC 5214). It passes with each address that it may lead to, so that no spelling gets around a rule.
 */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Reach } from '../domain/reach.ts';
import {
  canonicalAddress,
  isLoopback,
  joinHostAndPort,
  bytesOf,
  splitHostAndPort,
} from './address.ts';
import { createResolver, type Resolver } from './resolver.ts';

/** Kinds that `outbound.deny` may name beside prefixes. */
const addressKinds = ['unspecified', 'link-local', 'multicast', 'broadcast'] as const;
type AddressKind = (typeof addressKinds)[number];

/** The word in deny for the addresses and ports that the service itself listens on. */
const ownListeners = 'own-listeners';

/** Words that deny takes beside addresses and prefixes. */
export const denyWords: readonly string[] = [...addressKinds, ownListeners];

export interface Endpoint {
  /** An IP address. */
  readonly address: string;
  readonly port: number;
}

/** Plain values, so that they can be sent to threads. */
export interface OutboundRules {
  readonly deny: readonly string[];
  readonly allow: readonly string[];
  /** Where the service listens. */
  readonly listeners: readonly Endpoint[];
}

/** Why an address is not contacted; the message is a clause that leaves the address out. */
class OutboundError extends Error {
  override readonly name = 'OutboundError';
}

/**
 * What those who may name public addresses only get for every failure, whatever it was: more would make the service
 * a scanner of its own network.
 */
export const noAnswer =
  'no answer (callers without zone:create in all zones or secondary:manage get no more details, and reach public addresses only)';

/** An address that passed the policy, and its port. Nothing else makes one. */
export class Destination implements Endpoint {
  readonly address: string;
  readonly port: number;
  readonly #isJudged = true;

  private constructor({ address, port }: Endpoint) {
    this.address = canonicalAddress(address);
    this.port = port;
  }

  /** True for what `admit` made, and for nothing that only looks like it. */
  static isOne(value: object): value is Destination {
    return #isJudged in value && value.#isJudged;
  }

  /** Throws OutboundError. */
  static admit(
    endpoint: Endpoint,
    objection: (endpoint: Endpoint) => string | undefined,
  ): Destination {
    const destination = new Destination(endpoint);
    const reason = objection(destination);
    if (reason !== undefined) throw new OutboundError(reason);
    return destination;
  }
}

/** An address of a server that is not contacted, and why. */
export interface RefusedAddress extends Endpoint {
  readonly problem: string;
}

export class OutboundPolicy {
  readonly #rules: OutboundRules;
  readonly #listeners: Endpoint[];
  readonly #kinds: readonly AddressKind[];
  readonly #denied: BlockList;
  readonly #allowed: BlockList;

  constructor(rules: OutboundRules) {
    this.#rules = rules;
    this.#listeners = [...rules.listeners];
    this.#kinds = addressKinds.filter((kind) => rules.deny.includes(kind));
    this.#denied = blockListOf(rules.deny.filter((each) => !denyWords.includes(each)));
    this.#allowed = blockListOf(rules.allow);
  }

  /** The rules with the listeners of now. */
  get rules(): OutboundRules {
    return { ...this.#rules, listeners: [...this.#listeners] };
  }

  /** A listener of the service has its port. */
  addListener(endpoint: Endpoint): void {
    this.#listeners.push(endpoint);
  }

  /** Throws OutboundError for an address that is not contacted for those who reach so far. */
  admit(endpoint: Endpoint, reach: Reach): Destination {
    return Destination.admit(endpoint, (judged) => this.#objection(judged, reach));
  }

  /** A listener of the service, which it may ask itself whether it listens. */
  admitListener(endpoint: Endpoint): Destination {
    return Destination.admit(endpoint, (judged) =>
      this.#isListener(judged) ? undefined : 'is no listener of the service',
    );
  }

  #objection({ address, port }: Endpoint, reach: Reach): string | undefined {
    const host = hostAddresses();
    for (const face of facesOf(address)) {
      if (this.#rules.deny.includes(ownListeners) && this.#isListener({ address: face, port })) {
        return `is a listener of the service itself (outbound.deny: ${ownListeners})`;
      }
      if (this.#allowed.check(face, familyOf(face))) continue;
      const kind = this.#kinds.find((each) => isOfKind(face, each, host));
      if (kind !== undefined) return `is not contacted (outbound.deny: ${kind})`;
      if (this.#denied.check(face, familyOf(face))) return 'is not contacted (outbound.deny)';
      if (reach !== 'private' && isPrivate(face, host)) return 'is a private address';
    }
    return undefined;
  }

  #isListener({ address, port }: Endpoint): boolean {
    const sent = meansThisHost(address) ? '127.0.0.1' : address;
    return this.#listeners.some((listener) => {
      if (listener.port !== port) return false;
      const bound = canonicalAddress(listener.address);
      if (bound === sent || bound === address) return true;
      return meansThisHost(bound) && (isLoopback(sent) || hostAddresses().own.has(sent));
    });
  }
}

function meansThisHost(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}

/** What is asked of others goes through here: names are looked up, and each address is judged. */
export class Outbound {
  readonly resolver: Resolver;
  readonly policy: OutboundPolicy;

  constructor(policy: OutboundPolicy, resolver: Resolver = createResolver()) {
    this.policy = policy;
    this.resolver = resolver;
  }

  /** The addresses of `host:port` in turn; rejects when the host does not resolve. */
  async destinationsTo(
    server: string,
    reach: Reach,
  ): Promise<readonly (Destination | RefusedAddress)[]> {
    const { host, port } = splitHostAndPort(server);
    const addresses = await this.resolver.addressesOf(host);
    return addresses.map((address) => {
      try {
        return this.policy.admit({ address, port }, reach);
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        const problem = `${joinHostAndPort(address, port)} ${error.message}`;
        return { address, port, problem };
      }
    });
  }

  /** Those that may be contacted; rejects when there is none. */
  async destinationsOf(server: string, reach: Reach): Promise<readonly Destination[]> {
    const destinations = await this.destinationsTo(server, reach);
    const open = destinations.filter(isOpen);
    if (open.length > 0) return open;
    const [first] = destinations;
    throw new OutboundError(
      first === undefined || isOpen(first)
        ? `${splitHostAndPort(server).host} has no address`
        : first.problem,
    );
  }
}

export function isOpen(destination: Destination | RefusedAddress): destination is Destination {
  return !('problem' in destination);
}

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
function blockListOf(prefixes: readonly string[]): BlockList {
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

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

const lists = new Map(addressKinds.map((kind) => [kind, blockListOf(prefixesOf[kind])]));
const privateList = blockListOf(privatePrefixes);

/** The addresses of this host, and the broadcast addresses of its networks. */
interface HostAddresses {
  readonly own: ReadonlySet<string>;
  readonly broadcast: ReadonlySet<string>;
}

function hostAddresses(): HostAddresses {
  const own = new Set<string>();
  const broadcast = new Set<string>();
  for (const each of Object.values(networkInterfaces()).flat()) {
    if (each === undefined) continue;
    own.add(canonicalAddress(each.address));
    // A network of one or two addresses has none (RFC 3021).
    if (each.family === 'IPv4' && bytesOf(each.netmask)![3]! < 254) {
      broadcast.add(broadcastOf(each.address, each.netmask));
    }
  }
  return { own, broadcast };
}

function broadcastOf(address: string, netmask: string): string {
  const mask = bytesOf(netmask)!;
  return bytesOf(address)!
    .map((byte, index) => byte | ~mask[index]!)
    .join('.');
}

function isOfKind(address: string, kind: AddressKind, host: HostAddresses): boolean {
  if (lists.get(kind)!.check(address, familyOf(address))) return true;
  return kind === 'broadcast' && host.broadcast.has(address);
}

/** True for addresses that mean something inside this host or its network alone, or that get behind its firewall. */
function isPrivate(address: string, host: HostAddresses): boolean {
  return privateList.check(address, familyOf(address)) || host.own.has(address);
}

/** An address, in canonical spelling, and the IPv4 addresses that it may lead to. */
function facesOf(address: string): readonly string[] {
  const bytes = bytesOf(address);
  if (bytes?.length !== 16) return [address];
  const ipv4At = (start: number) => bytes.subarray(start, start + 4).join('.');
  const begins = (...prefix: number[]) => prefix.every((byte, index) => bytes[index] === byte);
  const isZero = (from: number, to: number) => bytes.subarray(from, to).every((byte) => byte === 0);
  const faces = [address];
  const isHost = isZero(0, 15) && bytes[15]! <= 1;
  // ::a.b.c.d, which is given up, and ::ffff:0:a.b.c.d of stateless translators (RFC 4291 2.5.5.1, RFC 2765 2.1).
  if (isZero(0, 12) && !isHost) faces.push(ipv4At(12));
  if (isZero(0, 8) && bytes[8] === 0xff && bytes[9] === 0xff) faces.push(ipv4At(12));
  // NAT64: the well-known prefix, and the one that networks use for themselves (RFC 6052 2.1, RFC 8215).
  if (begins(0, 0x64, 0xff, 0x9b)) faces.push(ipv4At(12));
  // 6to4, and Teredo: the server, and the client with its bytes inverted.
  if (begins(0x20, 0x02)) faces.push(ipv4At(2));
  if (begins(0x20, 0x01, 0, 0)) {
    const client = bytes.subarray(12).map((byte) => byte ^ 0xff);
    faces.push(ipv4At(4), client.join('.'));
  }
  // ISATAP, in any network.
  if ((bytes[8]! & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe) {
    faces.push(ipv4At(12));
  }
  return faces;
}

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
 * is the IP address that is used, after the host was looked up; an address with several faces passes with all of them.
 */
import type { BlockList } from 'node:net';
import type { Reach } from '../domain/reach.ts';
import { canonicalAddress, isLoopback, joinHostAndPort, splitHostAndPort } from './address.ts';
import {
  type AddressKind,
  addressKinds,
  blockListOf,
  facesOf,
  familyOf,
  hostAddresses,
  isOfKind,
  isPrivate,
} from './address-kind.ts';
import { createResolver, type Resolver } from './resolver.ts';

/** The word in deny for the addresses and ports that the service itself listens on. */
const ownListeners = 'own-listeners';

/** Words that deny takes beside addresses and prefixes. */
export const denyWords: readonly string[] = [...addressKinds, ownListeners];

export interface Place {
  /** An IP address. */
  readonly address: string;
  readonly port: number;
}

/** Plain values, so that they can be sent to threads. */
export interface OutboundRules {
  readonly deny: readonly string[];
  readonly allow: readonly string[];
  /** Where the service listens. */
  readonly listeners: readonly Place[];
}

/** Why an address is not contacted; the message is a clause that leaves the address out. */
class OutboundError extends Error {
  override readonly name = 'OutboundError';
}

/**
 * What those who may name public addresses only are told of every failure, whatever it was: more would make the service
 * a scanner of its own network.
 */
export const noAnswer =
  'no answer (callers without zone:create in all zones or secondary:manage are told no more, and reach public addresses only)';

/** An address that passed the policy, and its port. Nothing else makes one. */
export class Destination implements Place {
  readonly address: string;
  readonly port: number;
  readonly #isJudged = true;

  private constructor({ address, port }: Place) {
    this.address = canonicalAddress(address);
    this.port = port;
  }

  /** True for what `admit` made, and for nothing that only looks like it. */
  static isOne(value: object): value is Destination {
    return #isJudged in value && value.#isJudged;
  }

  /** Throws OutboundError. */
  static admit(place: Place, objection: (place: Place) => string | undefined): Destination {
    const destination = new Destination(place);
    const reason = objection(destination);
    if (reason !== undefined) throw new OutboundError(reason);
    return destination;
  }
}

/** An address of a server that is not contacted, and why. */
export interface RefusedPlace extends Place {
  readonly refusal: string;
}

export class OutboundPolicy {
  readonly #rules: OutboundRules;
  readonly #listeners: Place[];
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
  addListener(place: Place): void {
    this.#listeners.push(place);
  }

  /** Throws OutboundError for an address that is not contacted for those who reach so far. */
  admit(place: Place, reach: Reach): Destination {
    return Destination.admit(place, (judged) => this.#objection(judged, reach));
  }

  /** A listener of the service, which it may ask itself whether it listens. */
  admitListener(place: Place): Destination {
    return Destination.admit(place, (judged) =>
      this.#isListener(judged) ? undefined : 'is no listener of the service',
    );
  }

  #objection({ address, port }: Place, reach: Reach): string | undefined {
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

  #isListener({ address, port }: Place): boolean {
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
  async waysTo(server: string, reach: Reach): Promise<readonly (Destination | RefusedPlace)[]> {
    const { host, port } = splitHostAndPort(server);
    const addresses = await this.resolver.addressesOf(host);
    return addresses.map((address) => {
      try {
        return this.policy.admit({ address, port }, reach);
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        const refusal = `${joinHostAndPort(address, port)} ${error.message}`;
        return { address, port, refusal };
      }
    });
  }

  /** Those that may be contacted; rejects when there is none. */
  async destinationsOf(server: string, reach: Reach): Promise<readonly Destination[]> {
    const ways = await this.waysTo(server, reach);
    const open = ways.filter(isOpen);
    if (open.length > 0) return open;
    const [first] = ways;
    throw new OutboundError(
      first === undefined || isOpen(first)
        ? `${splitHostAndPort(server).host} has no address`
        : first.refusal,
    );
  }
}

export function isOpen(way: Destination | RefusedPlace): way is Destination {
  return !('refusal' in way);
}

/**
 * Host names of secondaries and parents, resolved when used and kept for a while.
 *
 * IP addresses are their own answer. Requests for one host share one look-up, and a failure is kept
 * too, for a shorter time, so that neither a burst of changes nor a flood of requests becomes a
 * flood of look-ups.
 */
import { lookup as lookupHost } from 'node:dns/promises';
import { isIP } from 'node:net';
import { monotonicMs } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { canonicalAddress } from './address.ts';

/** Every address of a host name, or a rejection. */
export type HostLookup = (host: string) => Promise<readonly string[]>;

export interface Resolver {
  /** The addresses of a host in canonical spelling; an array when they are known already. */
  addressesOf(host: string): readonly string[] | Promise<readonly string[]>;
}

export interface ResolverOptions {
  readonly lookup?: HostLookup;
  /** Milliseconds addresses are kept; a minute when left out. */
  readonly keepMs?: number;
  /** Milliseconds a failure is kept. */
  readonly keepFailureMs?: number;
  readonly now?: () => number;
}

interface Entry {
  readonly until: number;
  readonly addresses: readonly string[] | undefined;
  readonly error: unknown;
}

const keepMsDefault = 60_000;
const keepFailureMsDefault = 5_000;

export function createResolver(options: ResolverOptions = {}): Resolver {
  const lookup = options.lookup ?? systemLookup;
  const now = options.now ?? monotonicMs;
  const keepMs = options.keepMs ?? keepMsDefault;
  const keepFailureMs = options.keepFailureMs ?? keepFailureMsDefault;
  const known = new Map<string, Entry>();
  const running = new Map<string, Promise<readonly string[]>>();

  async function resolve(host: string): Promise<readonly string[]> {
    try {
      const found = (await lookup(host)).map(canonicalAddress);
      const addresses = found.slice(0, limits.hostAddresses);
      known.set(host, { until: now() + keepMs, addresses, error: undefined });
      return addresses;
    } catch (error) {
      known.set(host, { until: now() + keepFailureMs, addresses: undefined, error });
      throw error;
    } finally {
      running.delete(host);
    }
  }

  return {
    addressesOf(host) {
      if (isIP(host) !== 0) return [canonicalAddress(host)];
      const entry = known.get(host);
      if (entry !== undefined && now() < entry.until) {
        return entry.addresses ?? Promise.reject(entry.error);
      }
      const shared = running.get(host);
      if (shared !== undefined) return shared;
      for (const [other, { until }] of known) if (now() >= until) known.delete(other);
      const started = resolve(host);
      running.set(host, started);
      return started;
    },
  };
}

async function systemLookup(host: string): Promise<readonly string[]> {
  const found = await lookupHost(host, { all: true });
  return found.map(({ address }) => address);
}

/** What a look-up finds, or the reason for which `signal` aborts: it can not be called off, and is left alone then. */
export function unlessAborted<Found>(signal: AbortSignal, lookup: Promise<Found>): Promise<Found> {
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  return Promise.race([lookup, aborted]);
}

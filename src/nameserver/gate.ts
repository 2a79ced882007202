/**
 * The transfer gate: who may pull zones without a signature (decisions 8).
 *
 * An enabled secondary may, from any address its registered host has; the port does not matter.
 * Secondaries are read for every request, so that a change takes effect with the next one.
 */
import type { Secondary } from '../domain/secondary.ts';
import { splitHostAndPort } from '../outbound/address.ts';
import type { Resolver } from '../outbound/resolver.ts';

export interface TransferGate {
  /** Whether an address, in canonical spelling, is an enabled secondary's. */
  allows(address: string): boolean | Promise<boolean>;
}

export interface SecondarySource {
  enabled(): readonly Secondary[];
}

export function createTransferGate(secondaries: SecondarySource, resolver: Resolver): TransferGate {
  return {
    allows(address) {
      const awaited: Promise<readonly string[]>[] = [];
      for (const secondary of secondaries.enabled()) {
        const addresses = resolver.addressesOf(splitHostAndPort(secondary.address).host);
        if (!Array.isArray(addresses)) awaited.push(addresses as Promise<readonly string[]>);
        else if (addresses.includes(address)) {
          // The others may still fail; nobody waits for them any more.
          for (const other of awaited) other.catch(() => {});
          return true;
        }
      }
      return awaited.length > 0 && anyIncludes(awaited, address);
    },
  };
}

/** A host name that can not be resolved lets nobody in, and keeps nobody else out. */
async function anyIncludes(
  awaited: readonly Promise<readonly string[]>[],
  address: string,
): Promise<boolean> {
  const settled = await Promise.allSettled(awaited);
  return settled.some(
    (outcome) => outcome.status === 'fulfilled' && outcome.value.includes(address),
  );
}

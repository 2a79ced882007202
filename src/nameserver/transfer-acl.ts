/**
 * The clients allowed to transfer a zone.
 *
 * Unsigned, an enabled secondary may, from any address its registered host has; the port does not
 * matter. Secondaries are read for every request, so that a change takes effect with the next one.
 * Signed, the key decides alone: a signed request never falls back to its address.
 */
import type { Zone } from '../domain/zone.ts';
import { splitHostAndPort } from '../outbound/address.ts';
import type { Resolver } from '../outbound/resolver.ts';
import type { SecondaryQueries } from '../query/named-queries.ts';
import { clientAddress, MustNotWait, type Request, type VerifiedKey } from './request.ts';

export interface TransferAcl {
  /** Whether whoever sent the request may transfer the zone. */
  admits(request: Request, zone: Zone): boolean | Promise<boolean>;
  /** Whether an address, in canonical spelling, is an enabled secondary's; throws MustNotWait where that is true. */
  allows(address: string, mustNotWait?: boolean): boolean | Promise<boolean>;
}

/** Whether a TSIG key's role holds zone:transfer for a zone; for the catalog, in all zones. */
export type KeyMayTransfer = (key: VerifiedKey, zone: Zone) => boolean;

const noKeyMay: KeyMayTransfer = () => false;

export type SecondarySource = Pick<SecondaryQueries, 'enabled'>;

export function createTransferAcl(
  secondaries: SecondarySource,
  resolver: Resolver,
  keyMayTransfer: KeyMayTransfer = noKeyMay,
): TransferAcl {
  function allows(address: string, mustNotWait?: boolean): boolean | Promise<boolean> {
    const awaited: Promise<readonly string[]>[] = [];
    for (const secondary of secondaries.enabled()) {
      const addresses = resolver.addressesOf(splitHostAndPort(secondary.address).host);
      if (addresses instanceof Promise) {
        awaited.push(addresses);
      } else if (addresses.includes(address)) {
        ignore(awaited);
        return true;
      }
    }
    if (awaited.length === 0) return false;
    if (!mustNotWait) return anyIncludes(awaited, address);
    ignore(awaited);
    throw new MustNotWait();
  }

  return {
    allows,
    admits: (request, zone) =>
      request.signedBy === undefined
        ? allows(clientAddress(request.client), request.client.mustNotWait)
        : keyMayTransfer(request.signedBy, zone),
  };
}

/** They may still fail; nobody waits for them any more. */
function ignore(awaited: readonly Promise<unknown>[]): void {
  for (const one of awaited) one.catch(() => {});
}

/** True once any has it. A host name that can not be resolved lets nobody in, and keeps nobody else out. */
function anyIncludes(
  awaited: readonly Promise<readonly string[]>[],
  address: string,
): Promise<boolean> {
  const found = awaited.map(async (each) => (await each).includes(address) || Promise.reject());
  return Promise.any(found).catch(() => false);
}

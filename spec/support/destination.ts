/** Ways to others for tests: a policy that lets everything through, unless it is told what to deny. */
import {
  type Destination,
  Outbound,
  OutboundPolicy,
  type OutboundRules,
} from '../../src/outbound/policy.ts';
import { createResolver, type HostLookup } from '../../src/outbound/resolver.ts';

export function openPolicy(rules: Partial<OutboundRules> = {}): OutboundPolicy {
  return new OutboundPolicy({ deny: [], allow: [], listeners: [], ...rules });
}

/** Looks hosts up as it is told, or as the system does. */
export function openOutbound(lookup?: HostLookup, rules: Partial<OutboundRules> = {}): Outbound {
  return new Outbound(openPolicy(rules), createResolver(lookup === undefined ? {} : { lookup }));
}

export function destinationOf(address: string, port: number): Destination {
  return openPolicy().admit({ address, port }, 'private');
}

/**
 * AMTRELAY: a relay for multicast (RFC 8777 4): precedence, D bit, relay type, relay.
 */
import { rrtype } from '../rrtype.ts';
import { withGateway } from './fields/dependent.ts';
import { u8 } from './fields/number.ts';
import { discoveryAndType, relayTypeOf } from './fields/relay.ts';
import { rdataFormat } from './format.ts';

export const amtrelay = rdataFormat(
  rrtype.AMTRELAY,
  [u8('precedence'), withGateway('relay', [discoveryAndType()], relayTypeOf)],
  { isLater: true, isPortable: false },
);

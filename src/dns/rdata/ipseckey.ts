/**
 * IPSECKEY: a key for IPsec (RFC 4025 2 and 3): precedence, gateway type, algorithm, gateway, key in
 * base64. A record without key, which the RFC allows, is refused because BIND takes no zone that has one.
 */
import { rrtype } from '../rrtype.ts';
import { base64Rest } from './fields/binary.ts';
import { withGateway } from './fields/dependent.ts';
import { u8 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const ipseckey = rdataFormat(
  rrtype.IPSECKEY,
  [
    u8('precedence'),
    withGateway('gateway', [u8('gateway type'), u8('algorithm')], (bytes) => bytes[0]!),
    base64Rest('public key'),
  ],
  { isLater: true },
);

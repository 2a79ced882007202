/**
 * L32: a locator of ILNP of 32 bits (RFC 6742 2.2): preference and locator, like an IPv4 address.
 */
import { rrtype } from '../rrtype.ts';
import { ipv4 } from './fields/address.ts';
import { u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const l32 = rdataFormat(rrtype.L32, [u16('preference'), ipv4('locator')], { isLater: true });

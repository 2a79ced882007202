/**
 * L64: a locator of ILNP of 64 bits (RFC 6742 2.3): preference and locator.
 */
import { rrtype } from '../rrtype.ts';
import { hexGroups } from './fields/hexgroups.ts';
import { u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const l64 = rdataFormat(rrtype.L64, [u16('preference'), hexGroups('locator')], {
  isLater: true,
});

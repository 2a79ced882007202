/**
 * NID: a node identifier of ILNP (RFC 6742 2.1): preference and 64 bits.
 */
import { rrtype } from '../rrtype.ts';
import { hexGroups } from './fields/hexgroups.ts';
import { u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const nid = rdataFormat(rrtype.NID, [u16('preference'), hexGroups('node identifier')], {
  isLater: true,
});

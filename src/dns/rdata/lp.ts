/**
 * LP: a name that has locators of ILNP (RFC 6742 2.4): preference and name.
 */
import { rrtype } from '../rrtype.ts';
import { plainName } from './fields/name.ts';
import { u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const lp = rdataFormat(rrtype.LP, [u16('preference'), plainName('name')], { isLater: true });

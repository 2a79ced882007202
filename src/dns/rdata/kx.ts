/**
 * KX: key exchanger (RFC 2230): preference and host.
 */
import { rrtype } from '../rrtype.ts';
import { name } from './fields/name.ts';
import { u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const kx = rdataFormat(rrtype.KX, [u16('preference'), name('exchanger')]);

/**
 * AFSDB: cell database server (RFC 1183 1, RFC 5864): subtype and host.
 */
import { rrtype } from '../rrtype.ts';
import { name } from './fields/name.ts';
import { u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const afsdb = rdataFormat(rrtype.AFSDB, [u16('subtype'), name('host')]);

/**
 * RT: a host that forwards to this one (RFC 1183 3.3): preference and host.
 */
import { rrtype } from '../rrtype.ts';
import { name } from './fields/name.ts';
import { u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const rt = rdataFormat(rrtype.RT, [u16('preference'), name('host')], { isLater: true });

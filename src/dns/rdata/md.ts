/**
 * MD: a mail destination (RFC 1035 3.3.4): a host. Obsolete since MX (RFC 973).
 */
import { rrtype } from '../rrtype.ts';
import { name } from './fields/name.ts';
import { rdataFormat } from './format.ts';

export const md = rdataFormat(rrtype.MD, [name('host')], { isLater: true, isPortable: false });

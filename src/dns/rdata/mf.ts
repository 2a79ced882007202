/**
 * MF: a mail forwarder (RFC 1035 3.3.5): a host. Obsolete since MX (RFC 973).
 */
import { rrtype } from '../rrtype.ts';
import { name } from './fields/name.ts';
import { rdataFormat } from './format.ts';

export const mf = rdataFormat(rrtype.MF, [name('host')], { isLater: true, isPortable: false });

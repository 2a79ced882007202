/**
 * MB: the host of a mailbox (RFC 1035 3.3.3).
 */
import { rrtype } from '../rrtype.ts';
import { name } from './fields/name.ts';
import { rdataFormat } from './format.ts';

export const mb = rdataFormat(rrtype.MB, [name('host')], { isLater: true, isPortable: false });

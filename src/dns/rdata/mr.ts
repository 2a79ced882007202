/**
 * MR: the new name of a mailbox (RFC 1035 3.3.8).
 */
import { rrtype } from '../rrtype.ts';
import { name } from './fields/name.ts';
import { rdataFormat } from './format.ts';

export const mr = rdataFormat(rrtype.MR, [name('mailbox')], { isLater: true, isPortable: false });

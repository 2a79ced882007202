/**
 * MG: a mailbox that belongs to a group (RFC 1035 3.3.6).
 */
import { rrtype } from '../rrtype.ts';
import { name } from './fields/name.ts';
import { rdataFormat } from './format.ts';

export const mg = rdataFormat(rrtype.MG, [name('mailbox')], { isLater: true, isPortable: false });

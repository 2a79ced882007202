/**
 * RP: responsible person (RFC 1183 2.2): a mailbox as a name, and the name of a TXT record.
 */
import { rrtype } from '../rrtype.ts';
import { name } from './fields/name.ts';
import { rdataFormat } from './format.ts';

export const rp = rdataFormat(rrtype.RP, [name('mailbox'), name('text name')]);

/**
 * DNAME: alias of a whole subtree (RFC 6672): the target, never compressed when sent.
 */
import { rrtype } from '../rrtype.ts';
import { name } from './fields/name.ts';
import { rdataFormat } from './format.ts';

export const dname = rdataFormat(rrtype.DNAME, [name('target')]);

/**
 * MINFO: who answers for a mailbox or list (RFC 1035 3.3.7): two mailboxes, the responsible one and the
 * one for errors.
 */
import { rrtype } from '../rrtype.ts';
import { name } from './fields/name.ts';
import { rdataFormat } from './format.ts';

export const minfo = rdataFormat(
  rrtype.MINFO,
  [name('responsible mailbox'), name('error mailbox')],
  { isLater: true },
);

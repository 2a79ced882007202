/**
 * IPN: the node number of the bundle protocol (draft-johnson-dns-ipn-cla-07 3.1).
 */
import { rrtype } from '../rrtype.ts';
import { nodeNumber } from './fields/node-number.ts';
import { rdataFormat } from './format.ts';

export const ipn = rdataFormat(rrtype.IPN, [nodeNumber('node number')], {
  isLater: true,
  isPortable: false,
});

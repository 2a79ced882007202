/**
 * RKEY: a key for encrypting NAPTR (draft-reid-dnsext-rkey-00): flags, protocol, algorithm, key in base64.
 * The flags are reserved and 0.
 */
import { rrtype } from '../rrtype.ts';
import { RdataError } from './error.ts';
import { keyAlgorithm } from './fields/algorithm.ts';
import { base64Rest } from './fields/binary.ts';
import { u8, u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const rkey = rdataFormat(
  rrtype.RKEY,
  [u16('flags'), u8('protocol'), keyAlgorithm('algorithm'), base64Rest('public key')],
  { isLater: true, isPortable: false, check: checkFlags },
);

function checkFlags(rdata: Buffer): void {
  const flags = rdata.readUInt16BE(0);
  if (flags !== 0) throw new RdataError(`RKEY flags are 0, not ${flags}`);
}

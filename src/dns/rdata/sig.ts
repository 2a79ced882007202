/**
 * SIG: the signature before RRSIG (RFC 2535 4, RFC 2931). Stored like any other data; nothing is signed
 * with it here.
 *
 * Type covered 0 is the signature of a message (SIG(0), RFC 2931 3): BIND takes no zone that has one.
 */
import { rrtype } from '../rrtype.ts';
import { RdataError } from './error.ts';
import { keyAlgorithm } from './fields/algorithm.ts';
import { base64Rest } from './fields/binary.ts';
import { typeName } from './fields/bitmap.ts';
import { name } from './fields/name.ts';
import { u8, u16, u32 } from './fields/number.ts';
import { signatureTime } from './fields/time.ts';
import { rdataFormat } from './format.ts';

export const sig = rdataFormat(
  rrtype.SIG,
  [
    typeName('type covered'),
    keyAlgorithm('algorithm'),
    u8('labels'),
    u32('original TTL'),
    signatureTime('expiration'),
    signatureTime('inception'),
    u16('key tag'),
    name('signer'),
    base64Rest('signature'),
  ],
  { isLater: true, isPortable: false, check: checkTypeCovered },
);

function checkTypeCovered(rdata: Buffer): void {
  if (rdata.readUInt16BE(0) === 0) throw new RdataError('SIG type covered is not 0 in a zone');
}

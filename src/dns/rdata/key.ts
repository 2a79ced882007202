/**
 * KEY: a public key of a host or user (RFC 2535 3, RFC 3445): flags, protocol, algorithm, key in base64.
 * The two highest flags together mean that there is no key.
 */
import { rrtype } from '../rrtype.ts';
import { RdataError } from './error.ts';
import { keyAlgorithm } from './fields/algorithm.ts';
import { optionalBase64Rest } from './fields/binary.ts';
import { u8, u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

const noKey = 0xc000;
const keyOffset = 4;
const fieldsBeforeKey = 3;

export const key = rdataFormat(
  rrtype.KEY,
  [u16('flags'), u8('protocol'), keyAlgorithm('algorithm'), optionalBase64Rest('public key')],
  { isLater: true, check: checkKey, isPortable: hasKey },
);

/** Knot and NSD read no KEY without a key by its name. */
function hasKey(text: string): boolean {
  return text.split(' ').length > fieldsBeforeKey;
}

function checkKey(rdata: Buffer): void {
  const isWithout = (rdata.readUInt16BE(0) & noKey) === noKey;
  if (isWithout === rdata.length > keyOffset) {
    throw new RdataError(
      isWithout
        ? `KEY of flags ${rdata.readUInt16BE(0)} has no public key`
        : 'KEY public key is missing',
    );
  }
}

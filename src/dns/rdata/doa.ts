/**
 * DOA: a digital object (draft-durand-doa-over-dns-03 3): enterprise, type, location, media type, data in
 * base64, `-` for none.
 */
import { rrtype } from '../rrtype.ts';
import { optionalBase64Rest } from './fields/binary.ts';
import { u8, u32 } from './fields/number.ts';
import { characterString } from './fields/string.ts';
import { rdataFormat } from './format.ts';

export const doa = rdataFormat(
  rrtype.DOA,
  [
    u32('enterprise'),
    u32('type'),
    u8('location'),
    characterString('media type'),
    optionalBase64Rest('data', '-'),
  ],
  { isLater: true, isPortable: false },
);

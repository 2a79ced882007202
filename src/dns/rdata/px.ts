/**
 * PX: X.400 mail addresses (RFC 2163 4): preference and two names.
 */
import { rrtype } from '../rrtype.ts';
import { name } from './fields/name.ts';
import { u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const px = rdataFormat(
  rrtype.PX,
  [u16('preference'), name('RFC 822 domain'), name('X.400 domain')],
  { isLater: true, isPortable: false },
);

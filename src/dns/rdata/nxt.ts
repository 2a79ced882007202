/**
 * NXT: the next name of a zone and the types at this one, before NSEC (RFC 2535 5). Stored like any other
 * data.
 */
import { rrtype } from '../rrtype.ts';
import { oldTypeBitmap } from './fields/bitmap.ts';
import { name } from './fields/name.ts';
import { rdataFormat } from './format.ts';

export const nxt = rdataFormat(rrtype.NXT, [name('next name'), oldTypeBitmap('types')], {
  isLater: true,
  isPortable: false,
});

/**
 * URI: a target URI (RFC 7553 4): priority, weight and the target in quotes, which must not be
 * empty.
 */
import { rrtype } from '../rrtype.ts';
import { u16 } from './fields/number.ts';
import { textRest } from './fields/string.ts';
import { rdataFormat } from './format.ts';

export const uri = rdataFormat(rrtype.URI, [
  u16('priority'),
  u16('weight'),
  textRest('target', { mayBeEmpty: false }),
]);

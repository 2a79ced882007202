/**
 * CAA: which authorities may issue certificates (RFC 8659 4): flags, tag, value.
 *
 * A tag is letters and digits, 1 to 255 of them, kept in the case it was given.
 */
import { rrtype } from '../rrtype.ts';
import { u8 } from './fields/number.ts';
import { tag, textRest } from './fields/string.ts';
import { rdataFormat } from './format.ts';

export const caa = rdataFormat(rrtype.CAA, [
  u8('flags'),
  tag('tag'),
  textRest('value', { mayBeEmpty: true }),
]);

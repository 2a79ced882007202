/**
 * CAA: which authorities may issue certificates (RFC 8659 4): flags, tag, value.
 *
 * A tag is 1 to 15 letters and digits, stored lower-case: case says nothing (RFC 8659 4.1), and NSD reads no other.
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

/**
 * NSEC: the next name of a zone and the types at this one (RFC 4034 4). Made by signing.
 */
import { rrtype } from '../rrtype.ts';
import { typeBitmap } from './fields/bitmap.ts';
import { plainName } from './fields/name.ts';
import { rdataFormat } from './format.ts';

export const nsec = rdataFormat(rrtype.NSEC, [plainName('next name'), typeBitmap('types')]);

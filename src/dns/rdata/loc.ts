/**
 * LOC: a place on earth (RFC 1876): `52 22 23.000 N 4 53 32.000 E -2.00m 1m 10000m 10m`.
 */
import { rrtype } from '../rrtype.ts';
import { location } from './fields/location.ts';
import { rdataFormat } from './format.ts';

export const loc = rdataFormat(rrtype.LOC, [location('value')]);

/**
 * SOA: start of authority (RFC 1035 3.3.13). Not a record a caller stores; the zone has its fields.
 *
 * Times are plain seconds: units such as `1h` are refused.
 */
import { rrtype } from '../rrtype.ts';
import { compressibleName } from './fields/name.ts';
import { u32 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const soa = rdataFormat(rrtype.SOA, [
  compressibleName('mname'),
  compressibleName('rname'),
  u32('serial'),
  u32('refresh'),
  u32('retry'),
  u32('expire'),
  u32('minimum'),
]);

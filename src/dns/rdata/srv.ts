/**
 * SRV: server of a service (RFC 2782): priority, weight, port, target; target `.` means no service.
 */
import { rrtype } from '../rrtype.ts';
import { name } from './fields/name.ts';
import { u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const srv = rdataFormat(rrtype.SRV, [
  u16('priority'),
  u16('weight'),
  u16('port'),
  name('target'),
]);

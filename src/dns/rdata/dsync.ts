/**
 * DSYNC: where a parent takes notifications (RFC 9859 2): type, scheme, port, target.
 */
import { rrtype } from '../rrtype.ts';
import { typeName } from './fields/bitmap.ts';
import { plainName } from './fields/name.ts';
import { namedNumber, u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const dsync = rdataFormat(
  rrtype.DSYNC,
  [
    typeName('type'),
    namedNumber('scheme', 1, { NOTIFY: 1 }, true),
    u16('port'),
    plainName('target'),
  ],
  { isLater: true, isPortable: false },
);

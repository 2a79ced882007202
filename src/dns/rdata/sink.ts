/**
 * SINK: anything (draft-eastlake-kitchen-sink-02): meaning, coding, subcoding, data in base64.
 */
import { rrtype } from '../rrtype.ts';
import { optionalBase64Rest } from './fields/binary.ts';
import { u8 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const sink = rdataFormat(
  rrtype.SINK,
  [u8('meaning'), u8('coding'), u8('subcoding'), optionalBase64Rest('data')],
  { isLater: true, isPortable: false },
);

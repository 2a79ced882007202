/**
 * MX: a mail exchange (RFC 1035 3.3.9): preference and host; host `.` means no mail (RFC 7505).
 */
import { rrtype } from '../rrtype.ts';
import { compressibleName, simpleNameWire } from './fields/name.ts';
import { u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const mx = rdataFormat(rrtype.MX, [u16('preference'), compressibleName('exchange')], {
  fast: {
    parse: (text, priority) => {
      const rdata = simpleNameWire(text, 2);
      rdata?.writeUInt16BE(priority, 0);
      return rdata;
    },
  },
});

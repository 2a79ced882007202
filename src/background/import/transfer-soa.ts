/** The SOA of a transfer as that of a file: RFC 1035 3.3.13. */
import { keyFromWire } from '../../dns/name.ts';
import type { FileSoa } from '../../dns/zonefile/file-record.ts';

export function soaOfTransfer({ ttl, rdata }: { ttl: number; rdata: Buffer }): FileSoa {
  const rnameAt = endOfName(rdata, 0);
  const at = endOfName(rdata, rnameAt);
  return {
    line: 0,
    ttl,
    rdata,
    mname: keyFromWire(rdata, 0),
    rname: keyFromWire(rdata, rnameAt),
    serial: rdata.readUInt32BE(at),
    refresh: rdata.readUInt32BE(at + 4),
    retry: rdata.readUInt32BE(at + 8),
    expire: rdata.readUInt32BE(at + 12),
    minimum: rdata.readUInt32BE(at + 16),
  };
}

/** The octet after an uncompressed name. */
function endOfName(rdata: Buffer, start: number): number {
  let at = start;
  while (rdata[at] !== 0) at += rdata[at]! + 1;
  return at + 1;
}

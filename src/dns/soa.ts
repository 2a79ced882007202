/** The fields of an SOA (RFC 1035 3.3.13), read from its canonical RDATA. */
import { keyFromWire, type NameKey, nameBytes } from './name.ts';

export interface SoaFields {
  /** Absolute, as the next. */
  readonly mname: NameKey;
  readonly rname: NameKey;
  readonly serial: number;
  /** Seconds, as the three below; the range is 32 bits unsigned. */
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly minimum: number;
}

export function readSoaFields(rdata: Buffer): SoaFields {
  const mname = keyFromWire(rdata);
  const rname = keyFromWire(rdata, nameBytes(mname));
  const at = nameBytes(mname) + nameBytes(rname);
  return {
    mname,
    rname,
    serial: rdata.readUInt32BE(at),
    refresh: rdata.readUInt32BE(at + 4),
    retry: rdata.readUInt32BE(at + 8),
    expire: rdata.readUInt32BE(at + 12),
    minimum: rdata.readUInt32BE(at + 16),
  };
}

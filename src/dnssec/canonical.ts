/**
 * RDATA as a signature covers them (RFC 4034 6.2 and 6.3). What is stored is canonical already,
 * but for RDATA of a few types of old that were stored as octets (RFC 3597) before their type had a
 * format here, and whose names validators lower-case: so they are here. Their stored form keeps its
 * case, and so does what is served.
 */

/** Octets before the names, how many names follow, by type (RFC 1035 3.3, 1183, 2163, 2535, 2874). */
const oldTypes = new Map<number, { readonly skip: number; readonly names: number }>([
  [3, { skip: 0, names: 1 }], // MD
  [4, { skip: 0, names: 1 }], // MF
  [7, { skip: 0, names: 1 }], // MB
  [8, { skip: 0, names: 1 }], // MG
  [9, { skip: 0, names: 1 }], // MR
  [14, { skip: 0, names: 2 }], // MINFO
  [21, { skip: 2, names: 1 }], // RT
  [24, { skip: 18, names: 1 }], // SIG
  [26, { skip: 2, names: 2 }], // PX
  [30, { skip: 0, names: 1 }], // NXT
]);

/** The canonical form of stored RDATA: the same octets for all types but those above. */
export function canonicalRdata(type: number, rdata: Buffer): Buffer {
  const shape = oldTypes.get(type);
  return shape === undefined ? rdata : lowerNames(rdata, shape.skip, shape.names);
}

/** A copy with the names lower-cased; octets that are no names of this type stay as they are. */
function lowerNames(rdata: Buffer, skip: number, names: number): Buffer {
  const lower = Buffer.from(rdata);
  let at = skip;
  for (let name = 0; name < names; name++) {
    for (;;) {
      const length = lower[at];
      if (length === undefined || length > 63) return rdata;
      const end = at + 1 + length;
      if (end > lower.length) return rdata;
      for (let octet = at + 1; octet < end; octet++) {
        const code = lower[octet]!;
        if (code >= 0x41 && code <= 0x5a) lower[octet] = code + 0x20;
      }
      at = end;
      if (length === 0) break;
    }
  }
  return lower;
}

/** RDATA of one RRset in the order and form that is signed: sorted as octets, each once. */
export function canonicalRdatas(type: number, rdatas: readonly Buffer[]): readonly Buffer[] {
  if (rdatas.length === 1 && !oldTypes.has(type)) return rdatas;
  const sorted = rdatas.map((rdata) => canonicalRdata(type, rdata)).sort(Buffer.compare);
  return sorted.filter((rdata, index) => index === 0 || !rdata.equals(sorted[index - 1]!));
}

/**
 * The message header (RFC 1035 4.1.1, RFC 2535 6.1, RFC 6895): flags, opcodes, rcodes, classes.
 *
 * Every message whose twelve bytes can be read gets at least a header, so that what follows them
 * may be refused with an answer. The Z bit is ignored and written as 0.
 */
export const headerBytes = 12;

/** Opcodes (RFC 6895 2.2). Others are answered NOTIMP. */
export const opcode = { QUERY: 0, IQUERY: 1, STATUS: 2, NOTIFY: 4, UPDATE: 5, DSO: 6 } as const;

/** Classes (RFC 6895 3.2); NONE and ANY stand only in questions and updates (RFC 2136 2.4, 2.5). */
export const recordClass = { IN: 1, CH: 3, HS: 4, NONE: 254, ANY: 255 } as const;

/**
 * Response codes (RFC 6895 2.3). Above 15 they need EDNS (BADVERS, BADCOOKIE) or stand in a TSIG
 * (BADSIG to BADTIME, BADTRUNC); 16 means BADVERS in a message and BADSIG in a TSIG.
 */
export const rcode = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  YXDOMAIN: 6,
  YXRRSET: 7,
  NXRRSET: 8,
  NOTAUTH: 9,
  NOTZONE: 10,
  BADSIG: 16,
  BADVERS: 16,
  BADKEY: 17,
  BADTIME: 18,
  BADTRUNC: 22,
  BADCOOKIE: 23,
} as const;

/** Later rows win, so that 16 is BADVERS, its meaning in the rcode of a message. */
const nameOfRcode = new Map<number, string>(
  Object.entries(rcode).map(([name, number]) => [number, name]),
);

/** The mnemonic, or `RCODEnnn` for a number without one. */
export function rcodeName(number: number): string {
  return nameOfRcode.get(number) ?? `RCODE${number}`;
}

/** What a header says besides its counts. */
export interface HeaderFields {
  readonly id: number;
  readonly opcode: number;
  /** 4 bits in a header alone, 12 in a message with EDNS. */
  readonly rcode: number;
  readonly response: boolean;
  readonly authoritative: boolean;
  readonly truncated: boolean;
  readonly recursionDesired: boolean;
  readonly recursionAvailable: boolean;
  readonly authenticData: boolean;
  readonly checkingDisabled: boolean;
}

/** The header as it stands on the wire; the counts are the sender's claim. */
export interface Header extends HeaderFields {
  readonly questionCount: number;
  readonly answerCount: number;
  readonly authorityCount: number;
  readonly additionalCount: number;
}

const flag = {
  response: 0x8000,
  authoritative: 0x0400,
  truncated: 0x0200,
  recursionDesired: 0x0100,
  recursionAvailable: 0x0080,
  authenticData: 0x0020,
  checkingDisabled: 0x0010,
} as const;

/** Reads the header, or gives undefined when there are fewer than twelve bytes. */
export function decodeHeader(bytes: Uint8Array): Header | undefined {
  if (bytes.length < headerBytes) return undefined;
  const flags = readUint16(bytes, 2);
  return {
    id: readUint16(bytes, 0),
    opcode: (flags >> 11) & 15,
    rcode: flags & 15,
    response: (flags & flag.response) !== 0,
    authoritative: (flags & flag.authoritative) !== 0,
    truncated: (flags & flag.truncated) !== 0,
    recursionDesired: (flags & flag.recursionDesired) !== 0,
    recursionAvailable: (flags & flag.recursionAvailable) !== 0,
    authenticData: (flags & flag.authenticData) !== 0,
    checkingDisabled: (flags & flag.checkingDisabled) !== 0,
    questionCount: readUint16(bytes, 4),
    answerCount: readUint16(bytes, 6),
    authorityCount: readUint16(bytes, 8),
    additionalCount: readUint16(bytes, 10),
  };
}

/** The 16 bits of flags, opcode and the low four bits of the rcode. */
export function headerFlags(header: HeaderFields): number {
  return (
    (header.response ? flag.response : 0) |
    ((header.opcode & 15) << 11) |
    (header.authoritative ? flag.authoritative : 0) |
    (header.truncated ? flag.truncated : 0) |
    (header.recursionDesired ? flag.recursionDesired : 0) |
    (header.recursionAvailable ? flag.recursionAvailable : 0) |
    (header.authenticData ? flag.authenticData : 0) |
    (header.checkingDisabled ? flag.checkingDisabled : 0) |
    (header.rcode & 15)
  );
}

/** Reads 16 bits; the caller has checked that they are there. */
export function readUint16(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!;
}

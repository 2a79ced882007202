/**
 * Types that hold keys, digests, signatures and what denies existence. The ones of DNSSEC are made by
 * signing, but for DS, which a parent stores.
 *
 * A digest of a known type has that type's length.
 */
import { isMetaType, printType, whyUnreadable } from '../rrtype.ts';
import { keyAlgorithm, keyAlgorithmName, signatureTime } from './fields/algorithm.ts';
import { base32Hash, base64Rest, hexRest, salt } from './fields/binary.ts';
import { decodeBlocks, oldTypeBitmap, typeBitmap, typeName } from './fields/bitmap.ts';
import { optionalField } from './fields/form.ts';
import { name, uncompressedName } from './fields/name.ts';
import { namedNumber, u8, u16, u32 } from './fields/number.ts';
import { type Field, type FormatRows, laterAndUnportable, type RdataFormat } from './format.ts';

/** A key tag and a digest (RFC 4034 5). */
const digestOfKey = [
  u16('key tag'),
  keyAlgorithm('algorithm'),
  u8('digest type'),
  hexRest('digest'),
];

/** Bytes of DS digests: SHA-1, SHA-256, GOST R 34.11-94, SHA-384 (RFC 4034, 4509, 5933, 6605); 0 is reserved. */
const dsDigestBytes = { 0: 0, 1: 20, 2: 32, 3: 32, 4: 48 };

const publicKey = [
  u16('flags'),
  u8('protocol'),
  keyAlgorithm('algorithm'),
  base64Rest('public key'),
];

/** A certificate or its digest; matching types 1 and 2 are SHA-256 and SHA-512. */
const association = {
  fields: [u8('usage'), u8('selector'), u8('matching type'), hexRest('association data')],
  check: digestCheck(2, 3, { 1: 32, 2: 64 }),
};

function signature(signer: Field): Field[] {
  return [
    typeName('type covered'),
    keyAlgorithm('algorithm'),
    u8('labels'),
    u32('original TTL'),
    signatureTime('expiration'),
    signatureTime('inception'),
    u16('key tag'),
    signer,
    base64Rest('signature'),
  ];
}

const hashParameters = [u8('hash algorithm'), u8('flags'), u16('iterations'), salt('salt')];

/** Certificate types of RFC 4398 2.1. */
const certificateTypes = {
  PKIX: 1,
  SPKI: 2,
  PGP: 3,
  IPKIX: 4,
  ISPKI: 5,
  IPGP: 6,
  ACPKIX: 7,
  IACPKIX: 8,
  URI: 253,
  OID: 254,
};

export const keyTypes = {
  /** The digest of a child's key (RFC 4034 5, RFC 4509, RFC 6605). */
  DS: { fields: digestOfKey, check: digestCheck(3, 4, dsDigestBytes) },
  /** A DS as the child wants it (RFC 7344 3.1), or `0 0 0 00` to ask for its removal (RFC 8078 4). */
  CDS: { fields: digestOfKey, check: digestCheck(3, 4, { ...dsDigestBytes, 0: 1 }) },
  /** Lookaside validation (RFC 4431, retired by RFC 8749). */
  DLV: {
    fields: digestOfKey,
    ...laterAndUnportable,
    check: digestCheck(3, 4, dsDigestBytes),
  },
  /** A trust authority (Weiler, "Deploying DNSSEC Without a Signed Root", 2004). */
  TA: {
    fields: digestOfKey,
    ...laterAndUnportable,
    check: digestCheck(3, 4, dsDigestBytes),
  },
  /** A zone's public key (RFC 4034 2). */
  DNSKEY: { fields: publicKey },
  /** A DNSKEY as the child wants it used (RFC 7344 3.2); `0 3 0 AA==` asks for removal (RFC 8078 4). */
  CDNSKEY: { fields: publicKey },
  /**
   * A public key of a host or user (RFC 2535 3, RFC 3445). RFC 2535 has records without a key as well: Knot takes one
   * by transfer, and then can not write its file of the zone.
   */
  KEY: {
    fields: [
      u16('flags'),
      u8('protocol'),
      keyAlgorithm('algorithm'),
      optionalField(base64Rest('public key')),
    ],
    isLater: true,
    check: checkKey,
  },
  /** A key for encrypting NAPTR (draft-reid-dnsext-rkey-00). The flags are reserved and 0. */
  RKEY: {
    fields: publicKey,
    ...laterAndUnportable,
    check: (rdata) => {
      const flags = rdata.readUInt16BE(0);
      return flags === 0 ? privateKeyProblem(rdata) : `flags are 0, not ${flags}`;
    },
  },
  /** A signature over an RRset (RFC 4034 3). */
  RRSIG: { fields: signature(uncompressedName('signer')) },
  /**
   * The signature before RRSIG (RFC 2535 4, RFC 2931), stored like any other data. Type covered 0 is the
   * signature of a message (SIG(0), RFC 2931 3): BIND takes no zone that has one.
   */
  SIG: {
    fields: signature(name('signer')),
    ...laterAndUnportable,
    check: (rdata) => (rdata.readUInt16BE(0) === 0 ? 'type covered is not 0 in a zone' : undefined),
  },
  /** The next name of a zone and the types at this one (RFC 4034 4). */
  NSEC: { fields: [uncompressedName('next name'), typeBitmap('types')] },
  /** The same before NSEC (RFC 2535 5), stored like any other data. */
  NXT: {
    fields: [name('next name'), oldTypeBitmap('types')],
    ...laterAndUnportable,
    // NSD writes such a record, and then does not read its own file.
    check: (rdata) => (nameEnd(rdata, 0) === rdata.length ? 'names one type at least' : undefined),
  },
  /** The next hashed name of a zone and the types at this one (RFC 5155 3). */
  NSEC3: { fields: [...hashParameters, base32Hash('next hashed name'), typeBitmap('types')] },
  /** How a zone hashes names (RFC 5155 4). */
  NSEC3PARAM: { fields: hashParameters },
  /** What a parent should copy from its child (RFC 7477 2). */
  CSYNC: {
    fields: [u32('SOA serial'), u16('flags'), typeBitmap('types')],
    isLater: true,
    check: (rdata) => typesProblem(rdata.subarray(6)),
  },
  /** Where a parent takes notifications (RFC 9859 2). */
  DSYNC: {
    fields: [
      typeName('type'),
      namedNumber('scheme', 1, { NOTIFY: 1 }, true),
      u16('port'),
      uncompressedName('target'),
    ],
    ...laterAndUnportable,
  },
  /** The digest of a whole zone (RFC 8976 2), 12 bytes at least. */
  ZONEMD: {
    fields: [u32('serial'), u8('scheme'), u8('hash algorithm'), hexRest('digest')],
    check: digestCheck(5, 6, { 1: 48, 2: 64 }, 12),
  },
  /** The fingerprint of an SSH host key (RFC 4255, RFC 6594). */
  SSHFP: {
    fields: [u8('algorithm'), u8('fingerprint type'), hexRest('fingerprint')],
    check: digestCheck(1, 2, { 1: 20, 2: 32 }),
  },
  /** The certificate of a TLS service (RFC 6698 2). */
  TLSA: association,
  /** The certificate of a mail address (RFC 8162 2). */
  SMIMEA: association,
  /** A certificate (RFC 4398); type and algorithm are printed as mnemonics where they have one. */
  CERT: {
    fields: [
      namedNumber('certificate type', 2, certificateTypes, true),
      u16('key tag'),
      keyAlgorithmName('algorithm'),
      base64Rest('certificate'),
    ],
  },
  /** An OpenPGP public key (RFC 7929 2). */
  OPENPGPKEY: { fields: [base64Rest('public key')] },
} satisfies FormatRows;

/** Bytes before the key of KEY, and the two highest flags, which together mean that there is no key. */
const keyOffset = 4;
const noKeyFlags = 0xc000;

function checkKey(rdata: Buffer): string | undefined {
  const flags = rdata.readUInt16BE(0);
  if ((flags & noKeyFlags) === noKeyFlags) {
    return `of flags ${flags} has no public key: Knot can not write its file of a zone that has one`;
  }
  return rdata.length === keyOffset ? 'public key is missing' : privateKeyProblem(rdata);
}

const privateByName = 253;
const privateById = 254;
/** The tag of an object identifier (X.690 8.19). */
const objectIdTag = 6;

/**
 * The key of a private algorithm begins with the name, or with the object identifier, of the algorithm, and goes on
 * (RFC 4034 A.1.1). BIND ends a transfer that has another.
 */
function privateKeyProblem(rdata: Buffer): string | undefined {
  const algorithm = rdata[keyOffset - 1];
  if (algorithm === privateByName) {
    const end = nameEnd(rdata, keyOffset);
    if (end === undefined || end >= rdata.length) {
      return `key of algorithm ${algorithm} begins with a domain name and goes on`;
    }
  }
  if (algorithm === privateById) {
    const [length = 0, tag, idLength = 0] = rdata.subarray(keyOffset);
    const isId = tag === objectIdTag && idLength > 0 && idLength === length - 2;
    if (!isId || rdata.length <= keyOffset + 1 + length) {
      return `key of algorithm ${algorithm} begins with an object identifier and goes on`;
    }
  }
  return undefined;
}

const maxLabelBytes = 63;
const maxNameBytes = 255;

/** Where a name that is not compressed ends; undefined when there is none at `start`. */
function nameEnd(rdata: Buffer, start: number): number | undefined {
  for (let at = start; at - start < maxNameBytes; ) {
    const length = rdata[at];
    if (length === undefined || length > maxLabelBytes) return undefined;
    at += length + 1;
    if (length === 0) return at;
  }
  return undefined;
}

/**
 * Types that no record of a zone has, and that Knot or NSD write into their file of a zone by a name which they do not
 * read there; 0 is none (RFC 4034 4.1.2).
 */
function typesProblem(bitmap: Buffer): string | undefined {
  const wrong = decodeBlocks(bitmap)?.find((type) => {
    return type === 0 || isMetaType(type) || whyUnreadable(type) !== undefined;
  });
  return wrong === undefined ? undefined : `types are of records, not ${printType(wrong)}`;
}

/**
 * A check of RDATA whose byte `typeAt` says the digest's type and whose digest starts at `digestAt`. A
 * length of 0 marks a type that must not be used.
 */
function digestCheck(
  typeAt: number,
  digestAt: number,
  bytesOfType: Readonly<Record<number, number>>,
  minBytes = 1,
): NonNullable<RdataFormat['check']> {
  return (rdata) => {
    const digestType = rdata[typeAt]!;
    const expected = bytesOfType[digestType];
    const actual = rdata.length - digestAt;
    if (expected === 0) return `digest type ${digestType} is reserved`;
    if (expected !== undefined && expected !== actual) {
      return `digest of type ${digestType} has ${expected} bytes, not ${actual}`;
    }
    return actual < minBytes ? `digest has at least ${minBytes} bytes, not ${actual}` : undefined;
  };
}

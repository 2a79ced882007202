import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestMessage } from '../../../spec/support/dns-messages.ts';
import { WireError } from '../error.ts';
import { parseAbsoluteName } from '../name.ts';
import { decodeMessage } from './decode.ts';
import { rcode } from './header.ts';
import { findTsig, parseTsig, tsigErrorName } from './tsig.ts';
import { type TsigAlgorithm, TsigKey } from './tsig-key.ts';
import { AnswerSigner, errorSigner, signRequest, unsignedError } from './tsig-sign.ts';
import { verifyRequest } from './tsig-verify.ts';

const now = 1_700_000_000;
const algorithms: TsigAlgorithm[] = ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'];

function keyOf(algorithm: TsigAlgorithm = 'hmac-sha256', name = 'ddns.example.com', fill = 7) {
  return new TsigKey({
    name: parseAbsoluteName(name),
    algorithm,
    secret: Buffer.alloc(32, fill),
  });
}

const query = requestMessage({ id: 0xbeef, name: 'example.com', type: 'SOA' });
const key = keyOf();

/** A message whose additional section holds these records, each complete. */
function withRecords(...additional: Buffer[]): Buffer {
  return requestMessage({ name: 'example.com', type: 'SOA', additional });
}

function signedOf(message = query, by = key, at = now): Buffer {
  return signRequest(message, by, at);
}

/** The TSIG record of a signed message, as bytes. */
function recordOf(signed: Buffer): Buffer {
  return signed.subarray(findTsig(signed)!.offset);
}

/** Bytes of the owner `ddns.example.com`, before type, class and TTL. */
const ownerBytes = 18;

/** Puts a TSIG RDATA of one's own behind the query. */
function withRdata(rdata: Buffer): Buffer {
  const head = Buffer.from('03646e7300 00fa 00ff 00000000 0000'.replaceAll(' ', ''), 'hex');
  head.writeUInt16BE(rdata.length, head.length - 2);
  return withRecords(Buffer.concat([head, rdata]));
}

/** The verdict on a signed message, the way the server comes to it. */
function verdictOn(message: Buffer, by = key, at = now): string {
  return verifyRequest(message, parseTsig(decodeMessage(message).tsig!), by, at);
}

describe('MACs (RFC 2104)', () => {
  it('are those of the runtime, whatever the lengths of secret and message', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...algorithms),
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.array(fc.uint8Array({ maxLength: 1500 }), { maxLength: 4 }),
        (algorithm, bytes, chunks) => {
          const secret = Buffer.from(bytes);
          const parts = chunks.map((chunk) => Buffer.from(chunk));
          const one = new TsigKey({ name: parseAbsoluteName('k'), algorithm, secret });
          const hmac = createHmac(algorithm.slice(5), secret);
          expect(one.mac(parts)).toEqual(hmac.update(Buffer.concat(parts)).digest());
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('the TSIG record (RFC 8945 4.2)', () => {
  it('is read as it was written, by either way to find it', () => {
    const signed = signedOf();
    const tsig = findTsig(signed)!;
    expect(tsig).toEqual({
      name: key.name,
      algorithm: parseAbsoluteName('hmac-sha256'),
      timeSigned: now,
      fudgeSeconds: 300,
      mac: expect.any(Buffer),
      originalId: 0xbeef,
      error: 0,
      otherData: Buffer.alloc(0),
      offset: query.length,
    });
    expect(tsig.mac).toHaveLength(32);
    expect(parseTsig(decodeMessage(signed).tsig!)).toEqual(tsig);
    expect(findTsig(query)).toBeUndefined();
  });

  it('holds times of 48 bits', () => {
    const late = 2 ** 48 - 1;
    const signed = signedOf(query, key, late);
    expect(findTsig(signed)!.timeSigned).toBe(late);
    expect(verdictOn(signed, key, late - 300)).toBe('ok');
  });

  it('case 44: is refused twice, before another record, and outside the additional section', () => {
    const record = recordOf(signedOf());
    const opt = Buffer.from('0000290400000000000000', 'hex');
    const twice = withRecords(record, record);
    const notLast = withRecords(record, opt);
    const authority = requestMessage({ name: 'example.com', type: 'SOA', authority: [record] });
    for (const message of [twice, notLast, authority]) {
      expect(() => findTsig(message)).toThrow(WireError);
      expect(() => decodeMessage(message)).toThrow(WireError);
    }
    expect(findTsig(withRecords(opt, record))).toBeDefined();
  });

  it('is refused with another class, a TTL, or bytes behind it', () => {
    const record = recordOf(signedOf());
    const otherClass = Buffer.from(record);
    otherClass.writeUInt16BE(1, ownerBytes + 2);
    const otherTtl = Buffer.from(record);
    otherTtl.writeUInt32BE(1, ownerBytes + 4);
    const followed = Buffer.concat([signedOf(), Buffer.from([0])]);
    for (const message of [withRecords(otherClass), withRecords(otherTtl), followed]) {
      expect(() => findTsig(message)).toThrow(WireError);
      expect(() => decodeMessage(message)).toThrow(WireError);
    }
  });

  it('is refused when its lengths do not add up, or its algorithm name is compressed', () => {
    const rdata = decodeMessage(signedOf()).tsig!.rdata;
    const wrong = [
      Buffer.alloc(0),
      Buffer.from([0]),
      rdata.subarray(0, 20),
      rdata.subarray(0, -1),
      Buffer.concat([rdata, Buffer.from([0])]),
      // A pointer to the question's name, which is where one may lead.
      Buffer.concat([Buffer.from([0xc0, 12]), rdata.subarray(13)]),
      Buffer.concat([Buffer.from([0x40, 0]), rdata]),
    ];
    for (const bytes of wrong) {
      const message = withRdata(bytes);
      expect(() => findTsig(message), bytes.toString('hex')).toThrow(WireError);
      expect(() => parseTsig(decodeMessage(message).tsig!)).toThrow(WireError);
    }
  });

  it('case 53: with any bytes as RDATA or algorithm is refused or read, and never verified', () => {
    const rdata = decodeMessage(signedOf()).tsig!.rdata;
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 120 }).map((some) => Buffer.from(some)),
      fc
        .tuple(fc.nat(rdata.length - 1), fc.uint8Array({ maxLength: 6 }))
        .map(([at, some]) =>
          Buffer.concat([rdata.subarray(0, at), Buffer.from(some), rdata.subarray(at)]),
        ),
      fc
        .constantFrom('*', '*.hmac-sha256', '\\000', 'x'.repeat(63), 'hmac-sha256.example')
        .map((name) =>
          Buffer.concat([Buffer.from(keyOf('hmac-sha256', name).nameWire), rdata.subarray(13)]),
        ),
    );
    fc.assert(
      fc.property(bytes, (some) => {
        const message = withRdata(some);
        try {
          const tsig = findTsig(message)!;
          expect(parseTsig(decodeMessage(message).tsig!)).toEqual(tsig);
          expect(verifyRequest(message, tsig, key, now)).not.toBe('ok');
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('names its errors', () => {
    const { BADSIG, BADKEY, BADTIME, BADTRUNC } = rcode;
    expect([BADSIG, BADKEY, BADTIME, BADTRUNC].map(tsigErrorName)).toEqual([
      'BADSIG',
      'BADKEY',
      'BADTIME',
      'BADTRUNC',
    ]);
  });
});

describe('verifying a request (RFC 8945 5.2)', () => {
  it.each(algorithms)('takes %s', (algorithm) => {
    const by = keyOf(algorithm);
    expect(verdictOn(signedOf(query, by), by)).toBe('ok');
  });

  it('takes a message that got another id on its way', () => {
    const forwarded = Buffer.from(signedOf());
    forwarded.writeUInt16BE(0x1234, 0);
    expect(verdictOn(forwarded)).toBe('ok');
  });

  it('case 50: takes names in capitals', () => {
    const shouting = Buffer.from(signedOf());
    const { offset } = findTsig(shouting)!;
    const upper = shouting.toString('latin1', offset, offset + ownerBytes).toUpperCase();
    shouting.latin1Write(upper, offset);
    const algorithmAt = offset + ownerBytes + 10;
    shouting.latin1Write('\x0bHMAC-SHA256', algorithmAt);
    expect(shouting).not.toEqual(signedOf());
    expect(verdictOn(shouting)).toBe('ok');
  });

  it('takes a compressed key name, and digests it uncompressed', () => {
    const by = keyOf('hmac-sha256', 'example.com');
    const signed = signedOf(query, by);
    const { offset } = findTsig(signed)!;
    const compressed = Buffer.concat([
      signed.subarray(0, offset),
      Buffer.from([0xc0, 12]),
      signed.subarray(offset + by.nameWire.length),
    ]);
    expect(verdictOn(compressed, by)).toBe('ok');
  });

  it('refuses another key and another algorithm (BADKEY)', () => {
    expect(verdictOn(signedOf(), keyOf('hmac-sha256', 'other.example.com'))).toBe('BADKEY');
    expect(verdictOn(signedOf(), keyOf('hmac-sha512'))).toBe('BADKEY');
  });

  it('case 46: refuses any changed byte, and another secret (BADSIG)', () => {
    expect(verdictOn(signedOf(), keyOf('hmac-sha256', 'ddns.example.com', 8))).toBe('BADSIG');
    const signed = signedOf();
    const { offset } = findTsig(signed)!;
    const rdataAt = offset + ownerBytes + 10;
    const spots = [
      // The flags, the question, time and fudge, the MAC, the original id.
      ...[2, 3, 13, offset - 1, rdataAt + 13, rdataAt + 18, rdataAt + 20, rdataAt + 25],
      ...[signed.length - 6, signed.length - 4],
    ];
    for (const at of spots) {
      const changed = Buffer.from(signed);
      changed[at]! ^= 1;
      // The opcode says how the rest is read; only the digest is of interest here.
      expect(verifyRequest(changed, findTsig(changed)!, key, now), `byte ${at}`).toBe('BADSIG');
    }
  });

  it('case 47: refuses times beyond the fudge on either side (BADTIME)', () => {
    const signed = signedOf();
    for (const apart of [-300, 0, 300]) expect(verdictOn(signed, key, now + apart)).toBe('ok');
    for (const apart of [-301, 301, 1e9]) {
      expect(verdictOn(signed, key, now + apart)).toBe('BADTIME');
    }
  });

  it('takes the fudge of the sender, up to an hour', () => {
    const signer = (fudgeSeconds: number) =>
      errorSigner(key, { ...findTsig(signedOf())!, mac: Buffer.alloc(0), fudgeSeconds }, 0, now);
    for (const [fudge, apart, verdict] of [
      [10, 10, 'ok'],
      [10, 11, 'BADTIME'],
      [0, 0, 'ok'],
      [0, 1, 'BADTIME'],
      [300, 301, 'BADTIME'],
      [301, 301, 'ok'],
      [3600, 3600, 'ok'],
      [3600, -3600, 'ok'],
      [3600, -3601, 'BADTIME'],
      [65_535, 3600, 'ok'],
      [65_535, 3601, 'BADTIME'],
    ] as const) {
      const message = Buffer.alloc(500);
      message.set(query);
      const bytes = signer(fudge).sign(message, query.length);
      const signed = message.subarray(0, bytes);
      const tsig = findTsig(signed)!;
      // An answer's digest begins with the length of the request's MAC, 0 here; a request's does not.
      const mac = createHmac('sha256', Buffer.alloc(32, 7))
        .update(query)
        .update(key.constantVariables)
        .update(signed.subarray(tsig.mac.byteOffset - signed.byteOffset - 10).subarray(0, 8))
        .update(Buffer.alloc(4))
        .digest();
      tsig.mac.set(mac);
      expect(verifyRequest(signed, tsig, key, now + apart), `${fudge} ${apart}`).toBe(verdict);
    }
  });

  it.each(algorithms)('case 49: %s with a truncated MAC, too short a one, or too long', (name) => {
    const by = keyOf(name);
    const truncated = (bytes: number, spoil = false) => {
      const signed = signedOf(query, by);
      const tsig = findTsig(signed)!;
      const mac = Buffer.alloc(bytes);
      tsig.mac.copy(mac);
      if (spoil) mac[0]! ^= 1;
      return verifyRequest(signed, { ...tsig, mac }, by, now);
    };
    const half = by.macBytes / 2;
    expect(truncated(by.macBytes)).toBe('ok');
    for (const bytes of [half, by.macBytes - 1]) {
      expect(truncated(bytes)).toBe('BADTRUNC');
      expect(truncated(bytes, true)).toBe('BADSIG');
    }
    for (const bytes of [0, 1, 9, 10, half - 1, by.macBytes + 1]) {
      expect(truncated(bytes)).toBe('FORMERR');
    }
  });

  it('case 48: looks at key, MAC, time and length of the MAC in this order', () => {
    const signed = signedOf();
    const tsig = findTsig(signed)!;
    const short = { ...tsig, mac: Buffer.from(tsig.mac.subarray(0, 16)) };
    const wrong = { ...short, mac: Buffer.alloc(16) };
    const other = keyOf('hmac-sha256', 'other');
    const late = now + 10_000;
    expect(verifyRequest(signed, wrong, other, late)).toBe('BADKEY');
    expect(verifyRequest(signed, wrong, key, late)).toBe('BADSIG');
    expect(verifyRequest(signed, short, key, late)).toBe('BADTIME');
    expect(verifyRequest(signed, short, key, now)).toBe('BADTRUNC');
    expect(verifyRequest(signed, tsig, key, now)).toBe('ok');
  });
});

describe('signing an answer', () => {
  const tsig = findTsig(signedOf())!;
  const signers = {
    'a good one': new AnswerSigner(key, tsig.mac, () => now),
    BADTIME: errorSigner(key, tsig, rcode.BADTIME, now),
    BADTRUNC: errorSigner(key, tsig, rcode.BADTRUNC, now),
    BADKEY: unsignedError(tsig, rcode.BADKEY),
  };

  it.each(Object.entries(signers))('takes as many bytes as announced: %s', (_, signer) => {
    const message = Buffer.alloc(query.length + signer.bytes);
    message.set(query);
    expect(signer.sign(message, query.length)).toBe(message.length);
    expect(decodeMessage(message).tsig).toBeDefined();
  });
});

import { describe, expect, it } from 'vitest';
import { requestMessage } from '../../../spec/support/dns-messages.ts';
import { parseAbsoluteName } from '../name.ts';
import { rcode } from './header.ts';
import { findTsig } from './tsig.ts';
import { TsigExchange } from './tsig-exchange.ts';
import { TsigKey } from './tsig-key.ts';
import { AnswerSigner, errorSigner, type MessageSigner, unsignedError } from './tsig-sign.ts';

const start = 1_700_000_000;
const name = parseAbsoluteName('transfer.example.com');
const key = new TsigKey({ name, algorithm: 'hmac-sha512', secret: Buffer.alloc(64, 1) });
const request = requestMessage({ name: 'example.com', type: 'AXFR' });
const requestMac = Buffer.alloc(64, 5);

/** A message unlike the others. */
function message(number: number): Buffer {
  return requestMessage({ name: `n${number}.example.com`, type: 'A', flags: 0x8400 });
}

function signWith(signer: MessageSigner, plain: Buffer): Buffer {
  const room = Buffer.alloc(plain.length + signer.bytes);
  room.set(plain);
  return room.subarray(0, signer.sign(room, plain.length));
}

/**
 * An answer as another server may send it, which signs only some messages: later MACs cover the MAC
 * before and all messages since.
 */
function answerOf(count: number, isSigned: (at: number) => boolean): Buffer[] {
  const first = new AnswerSigner(key, requestMac, () => start);
  let mac = Buffer.alloc(0);
  let unsigned: Buffer[] = [];
  return Array.from({ length: count }, (_, at) => {
    const plain = message(at);
    if (!isSigned(at)) {
      unsigned.push(plain);
      return plain;
    }
    if (at === 0) {
      const signed = signWith(first, plain);
      mac = Buffer.from(findTsig(signed)!.mac);
      return signed;
    }
    // The signature of the whole run, put behind its last message.
    const following = new AnswerSigner(key, requestMac, () => start);
    const signed = signWith(following, plain);
    const tsig = findTsig(signed)!;
    const length = Buffer.from([0, mac.length]);
    const timers = signed.subarray(tsig.mac.byteOffset - signed.byteOffset - 10).subarray(0, 8);
    tsig.mac.set(key.mac([length, mac, ...unsigned, plain, timers]));
    mac = Buffer.from(tsig.mac);
    unsigned = [];
    return signed;
  });
}

function verify(messages: readonly Buffer[]): string | undefined {
  const verifier = new TsigExchange(key, () => start, requestMac);
  for (const [at, one] of messages.entries()) {
    const wrong = verifier.verify(one);
    if (wrong !== undefined) return `${at}: ${wrong}`;
  }
  return verifier.finish();
}

describe('answers of many messages (RFC 8945 5.3.1, case 51)', () => {
  it('hold when each is signed', () => {
    let now = start;
    const exchange = new TsigExchange(key, () => now);
    const signed = exchange.sign(request);
    const signer = new AnswerSigner(key, findTsig(signed)!.mac, () => now);
    for (let at = 0; at < 10; at++) {
      // Each message has a time of its own, so a transfer may take longer than the fudge.
      now += 200;
      expect(exchange.verify(signWith(signer, message(at)))).toBeUndefined();
    }
    expect(exchange.finish()).toBeUndefined();
  });

  it('hold with up to 99 unsigned ones in a row, and no more', () => {
    expect(verify(answerOf(101, (at) => at % 100 === 0))).toBeUndefined();
    expect(verify(answerOf(301, (at) => at % 100 === 0))).toBeUndefined();
    expect(verify(answerOf(102, (at) => at % 101 === 0))).toBe(
      '100: more than 99 messages in a row are not signed',
    );
  });

  it('need a signature on the first and on the last', () => {
    expect(verify(answerOf(3, (at) => at > 0))).toBe('0: the answer is not signed');
    expect(verify(answerOf(3, (at) => at === 0))).toBe('the last message is not signed');
    expect(verify([])).toBe('nothing is signed');
  });

  it('fail when one is missing, twice there, moved or changed', () => {
    const all = answerOf(6, (at) => at === 0 || at === 2 || at === 5);
    expect(verify(all)).toBeUndefined();
    for (let at = 0; at < 5; at++) {
      expect(verify(all.toSpliced(at, 1)), `without ${at}`).toBeDefined();
      expect(verify(all.toSpliced(at, 0, all[at]!)), `twice ${at}`).toBeDefined();
      expect(verify(all.toSpliced(at, 2, all[at + 1]!, all[at]!)), `moved ${at}`).toBeDefined();
      const changed = Buffer.from(all[at]!);
      changed[14]! ^= 1;
      expect(verify(all.toSpliced(at, 1, changed)), `changed ${at}`).toBeDefined();
    }
  });
});

describe('what is wrong with an answer', () => {
  const exchange = new TsigExchange(key, () => start);
  const tsig = findTsig(exchange.sign(request))!;
  const judge = (signer: MessageSigner, at = start) =>
    new TsigExchange(key, () => at, tsig.mac).verify(signWith(signer, message(0)));

  it('is said in a clause', () => {
    const good = () => new AnswerSigner(key, tsig.mac, () => start);
    expect(judge(good())).toBeUndefined();
    expect(judge(good(), start + 301)).toBe('the answer was signed 301 s ago by our clock');
    expect(judge(new AnswerSigner(key, requestMac, () => start))).toBe('the signature is wrong');
    const other = new TsigKey({ name, algorithm: 'hmac-sha256', secret: Buffer.alloc(64, 1) });
    expect(judge(new AnswerSigner(other, tsig.mac, () => start))).toBe(
      'the answer is signed with another key or algorithm',
    );
  });

  it('is an error of the server, with its signature or without', () => {
    expect(judge(unsignedError(tsig, rcode.BADKEY))).toBe(
      'the server says BADKEY, without a signature',
    );
    expect(judge(unsignedError(tsig, rcode.BADSIG))).toBe(
      'the server says BADSIG, without a signature',
    );
    expect(judge(errorSigner(key, tsig, rcode.BADTIME, start + 5000))).toBe(
      'the server says BADTIME: its clock and ours are 5000 s apart',
    );
    expect(judge(errorSigner(key, tsig, rcode.BADTRUNC, start))).toBe('the server says BADTRUNC');
  });

  it('is malformed bytes, and a truncated MAC', () => {
    const verifier = new TsigExchange(key, () => start, tsig.mac);
    expect(verifier.verify(Buffer.alloc(3))).toBe('the message is shorter than a header');
    const signed = signWith(new AnswerSigner(key, tsig.mac, () => start), message(0));
    const { mac, offset } = findTsig(signed)!;
    const macAt = mac.byteOffset - signed.byteOffset;
    const short = Buffer.concat([signed.subarray(0, macAt + 32), signed.subarray(macAt + 64)]);
    short.writeUInt16BE(32, macAt - 2);
    const lengthAt = offset + key.nameWire.length + 8;
    short.writeUInt16BE(short.readUInt16BE(lengthAt) - 32, lengthAt);
    expect(verifier.verify(short)).toBe('the MAC has 32 bytes instead of 64');
  });
});

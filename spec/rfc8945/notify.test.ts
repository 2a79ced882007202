/**
 * NOTIFY signed with a secondary's key, and the signature of its answer (interface 4.4 and 6, RFC
 * 8945 5.4, case 56): an answer that is not signed as it must be counts as none.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAbsoluteName } from '../../src/dns/name.ts';
import { decodeMessage } from '../../src/dns/wire/decode.ts';
import { opcode } from '../../src/dns/wire/header.ts';
import { findTsig } from '../../src/dns/wire/tsig.ts';
import { TsigKey } from '../../src/dns/wire/tsig-key.ts';
import { AnswerSigner, unsignedError } from '../../src/dns/wire/tsig-sign.ts';
import { verifyRequest } from '../../src/dns/wire/tsig-verify.ts';
import { type RunningService, startService } from '../support/service.ts';
import { makeTransferKey } from '../support/tsig-keys.ts';

let service: RunningService;
let socket: Socket;
let key: TsigKey;
/** How the secondary answers. */
let answerWith: 'signature' | 'nothing' | 'wrong key' | 'BADKEY' | 'forged, then signature';
const verdicts: string[] = [];

const nowSeconds = () => Math.floor(Date.now() / 1000);

function answersTo(request: Buffer): Buffer[] {
  const tsig = findTsig(request)!;
  const plain = Buffer.from(request.subarray(0, tsig.offset));
  plain[2]! |= 0x80;
  plain.writeUInt16BE(plain.readUInt16BE(10) - 1, 10);
  const signWith = (by: TsigKey) => {
    const room = Buffer.alloc(plain.length + 300);
    room.set(plain);
    const length = new AnswerSigner(by, tsig.mac, nowSeconds).sign(room, plain.length);
    return room.subarray(0, length);
  };
  const stranger = new TsigKey({ ...key, secret: Buffer.alloc(32) });
  switch (answerWith) {
    case 'signature':
      return [signWith(key)];
    case 'nothing':
      return [plain];
    case 'wrong key':
      return [signWith(stranger)];
    case 'forged, then signature':
      return [signWith(stranger), signWith(key)];
    case 'BADKEY': {
      const room = Buffer.alloc(plain.length + 300);
      room.set(plain);
      room[3] = 9;
      return [room.subarray(0, unsignedError(tsig, 17).sign(room, plain.length))];
    }
  }
}

/** Seconds that an answer may take: none takes so long, unless the right one is to be missing. */
const longPatience = 60;
const shortPatience = 2;

beforeAll(async () => {
  socket = createSocket('udp4');
  socket.on('message', (request, from) => {
    const { tsig, opcode: asked } = decodeMessage(request);
    // It is asked for its serials too, now and then.
    if (asked === opcode.QUERY) return;
    const found = tsig && findTsig(request);
    verdicts.push(found ? verifyRequest(request, found, key, nowSeconds()) : 'unsigned');
    if (found === undefined) return;
    for (const answer of answersTo(request)) socket.send(answer, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
});
afterAll(() => void socket.close());

/** A service for the tests beside it, with a zone and the secondary. */
function prepareService(patience: number): void {
  beforeAll(async () => {
    service = await startService({
      ZONEBOOK_DNS_NOTIFY_RETRIES: '0',
      ZONEBOOK_DNS_NOTIFY_TIMEOUT_SECS: String(patience),
    });
    const zone = { name: 'example.com', mname: 'ns1.example.com', rname: 'root@example.com' };
    await service.must('POST', '/zones', zone);
    // A key whose role has no grants is enough for NOTIFY.
    const made = await makeTransferKey(service, 'notify.example.com', [], 'hmac-sha384');
    key = new TsigKey({
      name: parseAbsoluteName(made.name),
      algorithm: 'hmac-sha384',
      secret: Buffer.from(made.secret, 'base64'),
    });
    await service.must('POST', '/secondaries', {
      name: 'ns2',
      address: `127.0.0.1:${socket.address().port}`,
      notify_key_name: made.name,
    });
  });
  afterAll(() => service[Symbol.asyncDispose]());
}

const notify = () => service.call('POST', '/zones/example.com/notify');

describe('NOTIFY with an answer', () => {
  prepareService(longPatience);

  it('is signed, and a signed answer ends it', async () => {
    answerWith = 'signature';
    expect((await notify()).status).toBe(200);
    answerWith = 'forged, then signature';
    expect((await notify()).status).toBe(200);
    expect(new Set(verdicts)).toEqual(new Set(['ok']));
  });
});

describe('NOTIFY without a signed answer', () => {
  prepareService(shortPatience);

  it.each([
    ['nothing', 'the answer is not signed'],
    ['wrong key', 'the signature is wrong'],
    ['BADKEY', 'the server says BADKEY, without a signature'],
  ] as const)('fails when it is answered with %s', async (how, says) => {
    answerWith = how;
    let error = '';
    // An answer that comes too late, as it may on a busy host, is not seen: then it is told again.
    for (let tries = 0; tries < 10 && !error.includes('an answer was ignored'); tries++) {
      const { status, body } = await notify();
      expect(status).toBe(502);
      error = body.error;
    }
    expect(error).toContain(says);
  });
});

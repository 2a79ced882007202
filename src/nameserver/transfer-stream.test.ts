import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { requestMessage } from '../../spec/support/dns-messages.ts';
import { MemoryHistory } from '../../spec/support/memory-history.ts';
import { memoryZone, packedBlocks } from '../../spec/support/memory-zones.ts';
import { type NameKey, parseAbsoluteName } from '../dns/name.ts';
import { packRecords, type ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { decodeMessage } from '../dns/wire/decode.ts';
import { frameSigned } from '../dns/wire/framing.ts';
import { fullZone } from './ixfr.ts';
import { type Request, readRequest } from './request.ts';
import type { PackedRecords } from './transfer-source.ts';
import {
  fillMessages,
  type ReplyStream,
  streamTransfer,
  TransferError,
} from './transfer-stream.ts';

const bytes = requestMessage({ id: 0xbeef, name: 'Example.COM', type: 'AXFR' });
const client = { address: '192.0.2.1', transport: 'tcp' } as const;
const request = readRequest(bytes, client, { tcpIdleSeconds: 10 });
const expire = 3600;

/** The messages as they are made, before they are signed. */
function messagesOf(runs: Iterable<PackedRecords>, of: Request = request): Buffer[] {
  return [...fillMessages(of, runs, expire)];
}

function text(owner: string, bytes: number): ResourceRecord {
  const rdata = Buffer.alloc(bytes, 'x');
  for (let at = 0; at < bytes; at += 256) rdata[at] = Math.min(255, bytes - at - 1);
  return { owner: owner as NameKey, type: rrtype.TXT, ttl: 60, rdata };
}

describe('messages of a transfer (RFC 5936 2.2, cases 35 to 37)', () => {
  it('begin and end with the SOA, and repeat id, flags and question in each', () => {
    const records = Array.from({ length: 5000 }, (_, at) => text(`n${at}\0`, 40));
    const zone = memoryZone('example.com', '').zone;
    const history = new MemoryHistory({ zone: { ...zone, recordCount: 5000 }, records });
    const messages = messagesOf(fullZone(history.source())).map(decodeMessage);
    expect(messages.length).toBeGreaterThan(4);
    const answers = messages.flatMap((message) => message.answers);
    expect(answers).toHaveLength(5002);
    const soas = answers
      .map(({ type }, at) => (type === rrtype.SOA ? at : -1))
      .filter((at) => at >= 0);
    expect(soas).toEqual([0, 5001]);
    for (const message of messages) {
      expect(message).toMatchObject({ id: 0xbeef, response: true, authoritative: true });
      expect(message).toMatchObject({ truncated: false, recursionDesired: true });
      expect(message.questions).toEqual([
        { name: parseAbsoluteName('example.com'), type: rrtype.AXFR, class: 1 },
      ]);
    }
    expect(answers[1]!.name).toBe(parseAbsoluteName('n0.example.com'));
  });

  it('are filled: only the last one has room for another record', () => {
    const records = Array.from({ length: 3000 }, (_, at) => text(`n${at}\0`, 90));
    for (const size of [1, 7, 100, 3000]) {
      const messages = messagesOf(packedBlocks(records, size));
      for (const message of messages.slice(0, -1)) {
        expect(message.length).toBeGreaterThan(65_535 - 120);
        expect(message.length).toBeLessThanOrEqual(65_535);
      }
      const names = messages.flatMap((message) => decodeMessage(message).answers);
      expect(names).toHaveLength(3000);
    }
  });

  it('split a run of records at every border it may have', () => {
    const tail = [text('a\0', 10), text('bb\0', 20), text('ccc\0', 30), text('\0'.repeat(0), 5)];
    const run = { count: tail.length, records: packRecords(tail) };
    const capacity = 65_535 - 12 - request.questionBytes.length;
    for (let room = 0; room <= run.records.length + 1; room++) {
      const filler = text('f\0', capacity - room - 2 - 12);
      const first = { count: 1, records: packRecords([filler]) };
      expect(first.records.length).toBe(capacity - room);
      const messages = messagesOf([first, run]).map(decodeMessage);
      const answers = messages.flatMap((message) => message.answers);
      expect(answers.map(({ rdata }) => rdata.length)).toEqual([
        filler.rdata.length,
        ...tail.map(({ rdata }) => rdata.length),
      ]);
      expect(messages).toHaveLength(room >= run.records.length ? 1 : 2);
    }
  });

  it('hold a record of the greatest size that fits, and fail for a greater one (case 37)', () => {
    const room = 65_535 - 12 - request.questionBytes.length - 12;
    const fits = { count: 1, records: packRecords([text('', room)]) };
    const small = { count: 1, records: packRecords([text('s\0', 9)]) };
    expect(messagesOf([small, fits, small])).toHaveLength(3);
    const tooLarge = { count: 1, records: packRecords([text('', room + 1)]) };
    expect(() => messagesOf([small, tooLarge, small])).toThrow(TransferError);
    const inOne = {
      count: 3,
      records: Buffer.concat([small.records, tooLarge.records, small.records]),
    };
    expect(() => messagesOf([inOne])).toThrow(/65\d+ bytes does not fit/);
  });

  it('carry OPT in the first, and keep room for a signature in each', () => {
    const records = Array.from({ length: 3000 }, (_, at) => text(`n${at}\0`, 90));
    const signed: number[] = [];
    const signer = {
      bytes: 100,
      sign(message: Buffer, length: number) {
        signed.push(length);
        message.fill(0xee, length, length + 100);
        return length + 100;
      },
    };
    const edns = { udpPayload: 1232, version: 0, dnssecOk: false, options: [] };
    const unsigned = messagesOf(packedBlocks(records, 100), { ...request, edns, signer });
    // Signatures are made when a message is sent, which may be much later.
    expect(signed).toEqual([]);
    const messages = unsigned.map((message) => frameSigned(message, signer).subarray(2));
    expect(signed).toEqual(unsigned.map(({ length }) => length));
    messages.forEach((message, at) => {
      expect(message.length).toBeLessThanOrEqual(65_535);
      expect(message.subarray(-100).every((byte) => byte === 0xee)).toBe(true);
      const { edns } = decodeMessage(message.subarray(0, -100));
      expect(edns !== undefined).toBe(at === 0);
    });
  });

  it('are made when they are asked for', () => {
    let read = 0;
    function* endless(): Generator<PackedRecords> {
      for (;;) {
        read++;
        yield { count: 1, records: packRecords([text('a\0', 1000)]) };
      }
    }
    const messages = fillMessages(request, endless(), expire);
    messages.next();
    expect(read).toBeLessThan(100);
    messages.return(undefined);
  });
});

describe('a transfer to a slow client', () => {
  /** Begins one for whose rest there is no room; its client takes messages when the test says so. */
  function begin(count: number) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const happened: string[] = [];
    const waiting = Promise.withResolvers<void>();
    const stream: ReplyStream = {
      started: true,
      turnsTaken: 1,
      send: () => waiting.promise,
      takeTurn: async () => () => {},
      cut() {
        happened.push('cut');
        waiting.reject(new Error('the connection has ended'));
      },
    };
    const slow = { openSpool: () => undefined, beginWait: () => () => {} };
    const release = () => void happened.push('released');
    const messages = (function* () {
      for (let made = 0; made < count; made++) yield Buffer.alloc(100);
    })();
    const sent = streamTransfer(messages, undefined, stream, { limitMs: 1000, slow, release });
    return { sent, happened, take: () => waiting.resolve() };
  }

  it('lets its snapshot go while the last message waits, and needs no room for a rest', async () => {
    const { sent, happened, take } = begin(1);
    vi.advanceTimersByTime(1000);
    await new Promise(setImmediate);
    expect(happened).toEqual(['released']);
    take();
    expect(await sent).toBe(102);
  });

  it('ends for want of room with that for a reason', async () => {
    const { sent, happened } = begin(2);
    const outcome = expect(sent).rejects.toThrow(/^cut: too many slow clients$/);
    vi.advanceTimersByTime(1000);
    await outcome;
    expect(happened).toEqual(['released', 'cut']);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameReader, frameMessage } from './framing.ts';

const messages = [Buffer.from('first'), Buffer.alloc(0), Buffer.alloc(300, 7), Buffer.from('x')];
const stream = Buffer.concat(messages.map(frameMessage));

describe('messages over TCP (RFC 1035 4.2.2)', () => {
  it('are read whatever place the stream is split at', () => {
    for (let split = 0; split <= stream.length; split++) {
      const reader = new FrameReader();
      const read = [
        ...reader.push(stream.subarray(0, split)),
        ...reader.push(stream.subarray(split)),
      ];
      expect(read, `split at ${split}`).toEqual(messages);
    }
  });

  it('are read byte by byte', () => {
    const reader = new FrameReader();
    const read: Buffer[] = [];
    for (const byte of stream) read.push(...reader.push(Buffer.from([byte])));
    expect(read).toEqual(messages);
  });

  it('are read in chunks of any sizes, empty ones among them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 700 }), { maxLength: 8 }),
        fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1 }),
        (bodies, sizes) => {
          const sent = bodies.map((body) => Buffer.from(body));
          const bytes = Buffer.concat(sent.map(frameMessage));
          const reader = new FrameReader();
          const read: Buffer[] = [];
          let at = 0;
          for (let turn = 0; at < bytes.length; turn++) {
            const size = turn >= sizes.length * 3 ? bytes.length : sizes[turn % sizes.length]!;
            read.push(...reader.push(bytes.subarray(at, at + size)));
            at += size;
          }
          expect(read).toEqual(sent);
        },
      ),
    );
  });

  it('may be as long as the prefix can say', () => {
    const longest = Buffer.alloc(65_535, 1);
    const framed = frameMessage(longest);
    const reader = new FrameReader();
    expect(reader.push(framed.subarray(0, 40_000))).toEqual([]);
    expect(reader.push(framed.subarray(40_000))).toEqual([longest]);
  });
});

/** Names in messages: RFC 1035 4.1.4 and case 60 (loops, forward pointers, limits, bounded work). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WireError } from '../error.ts';
import { keyFromLabels, nameToWire, parseAbsoluteName } from '../name.ts';
import { readName } from './name.ts';

function wire(...parts: (string | number)[]): Buffer {
  return Buffer.concat(
    parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part))),
  );
}

describe('readName', () => {
  it('reads an uncompressed name, lower-cased, and says what comes next', () => {
    const message = wire(9, 9, 3, 'WwW', 7, 'example', 0, 9);
    expect(readName(message, 2)).toEqual({ name: parseAbsoluteName('www.example'), next: 15 });
    expect(readName(wire(0), 0)).toEqual({ name: '', next: 1 });
  });

  it('follows pointers backwards, also one to another', () => {
    const message = wire(7, 'example', 0, 3, 'www', 0xc0, 0, 0xc0, 9);
    expect(readName(message, 9)).toEqual({ name: parseAbsoluteName('www.example'), next: 15 });
    expect(readName(message, 15)).toEqual({ name: parseAbsoluteName('www.example'), next: 17 });
  });

  it.each([
    ['a pointer to itself', wire(0xc0, 0), 0],
    ['a pointer forward', wire(0xc0, 2, 0), 0],
    ['a pointer into its own run of labels', wire(1, 'a', 0xc0, 0), 0],
    ['two pointers in a loop', wire(0xc0, 2, 0xc0, 0), 2],
    ['a label type 01', wire(0x41, 'a', 0), 0],
    ['a label type 10', wire(0x81, 'a', 0), 0],
    ['a label cut short', wire(3, 'ab'), 0],
    ['no closing root', wire(1, 'a'), 0],
    ['half a pointer', wire(0, 0xc0), 1],
    ['a start outside', wire(0), 1],
    ['256 bytes', Buffer.concat([...Array(128).fill(wire(1, 'a')), wire(0)]), 0],
  ])('refuses %s', (_, message, at) => {
    expect(() => readName(message, at)).toThrow(WireError);
  });

  it('takes 255 bytes and 127 labels', () => {
    const message = Buffer.concat([...Array(127).fill(wire(1, 'a')), wire(0)]);
    expect(readName(message, 0).next).toBe(255);
  });

  it('bounds the work for a chain of pointers through the whole message', () => {
    const message = Buffer.alloc(16_384);
    for (let at = 2; at < message.length; at += 2) message.writeUInt16BE(0xc000 | (at - 2), at);
    expect(() => readName(message, message.length - 2)).toThrow(/pointers/);
  });

  it('throws only WireError on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(310), (bytes, at) => {
        const message = Buffer.from(bytes);
        try {
          readName(message, at);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
    );
  });

  it('reads what nameToWire writes', () => {
    const label = fc
      .uint8Array({ minLength: 1, maxLength: 20 })
      .map((bytes) => Buffer.from(bytes).toString('latin1'));
    fc.assert(
      fc.property(fc.array(label, { maxLength: 10 }), (labels) => {
        const key = keyFromLabels(labels);
        const message = nameToWire(key);
        expect(readName(message, 0)).toEqual({ name: key, next: message.length });
      }),
    );
  });
});

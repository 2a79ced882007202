/** Addresses as others print and read them: the parser of URLs in Node, and its sockets. */
import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readIpv4, readIpv6 } from '../../text-bytes.ts';
import { printIpv6 } from './address.ts';

const group = fc.oneof(
  { weight: 2, arbitrary: fc.constant(0) },
  fc.constantFrom(1, 0xf, 0x10, 0xffff),
  fc.nat(0xffff),
);
const groups = fc.array(group, { minLength: 8, maxLength: 8 });

function bytesOf(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(16);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, 2 * index);
  return bytes;
}

function readAll(read: typeof readIpv6, text: string, size: number): Buffer | undefined {
  const bytes = Buffer.from(`x${text}y`);
  const into = Buffer.alloc(size + 2, 0xee);
  if (!read(bytes, 1, bytes.length - 1, into, 1)) return undefined;
  expect([into[0], into[size + 1]]).toEqual([0xee, 0xee]);
  return into.subarray(1, size + 1);
}

it('RFC 5952 4: an IPv6 address is printed as in a URL, and read back', () => {
  fc.assert(
    fc.property(groups, (values) => {
      const bytes = bytesOf(values);
      const text = printIpv6(bytes);
      if (!text.includes('.')) {
        const long = values.map((value) => value.toString(16)).join(':');
        expect(`[${text}]`).toBe(new URL(`http://[${long}]/`).hostname);
      }
      expect(readAll(readIpv6, text, 16)).toEqual(bytes);
    }),
    { numRuns: 500 },
  );
});

it('RFC 4291 2.2: what Node reads as an IPv6 address is read to the same bytes, and nothing else', () => {
  const pieces = fc.constantFrom('0', '1', 'ab', 'FFFF', '12345', 'g', '1.2.3.4', '256.1.1.1', '');
  const texts = fc
    .array(fc.tuple(pieces, fc.constantFrom(':', ':', ':', '::')), { minLength: 1, maxLength: 9 })
    .map((parts) => parts.map(([piece, end]) => piece + end).join(''))
    .chain((text) => fc.constantFrom(text, text.slice(0, -1), `::${text.slice(0, -1)}`));
  fc.assert(
    fc.property(texts, (text) => {
      const bytes = readAll(readIpv6, text, 16);
      expect([text, bytes !== undefined]).toEqual([text, isIPv6(text)]);
      if (bytes === undefined) return;
      const judged = new URL(`http://[${text}]/`).hostname;
      expect(new URL(`http://[${printIpv6(bytes)}]/`).hostname).toBe(judged);
    }),
    { numRuns: 1000 },
  );
});

it('what Node reads as an IPv4 address is read to its four numbers, and nothing else', () => {
  const number = fc.constantFrom(
    '0',
    '9',
    '10',
    '99',
    '100',
    '199',
    '255',
    '256',
    '00',
    '01',
    '',
    'a',
  );
  fc.assert(
    fc.property(fc.array(number, { minLength: 3, maxLength: 5 }), (numbers) => {
      const text = numbers.join('.');
      const bytes = readAll(readIpv4, text, 4);
      expect([text, bytes !== undefined]).toEqual([text, isIPv4(text)]);
      if (bytes !== undefined) expect([...bytes]).toEqual(numbers.map(Number));
    }),
    { numRuns: 500 },
  );
});

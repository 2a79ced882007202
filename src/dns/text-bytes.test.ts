import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteWriter } from '../base/byte-writer.ts';
import { keyFromLabels, keyToBytes, labelsToWire, printLabels } from './name.ts';
import { printIpv4 } from './rdata/fields/address.ts';
import { writeIpv4, writeKey, writeLabels, writeNumber } from './text-bytes.ts';

const label = fc.oneof(
  fc.stringMatching(/^[a-z0-9_*/+=:-]{1,20}$/),
  fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => Buffer.from(bytes).latin1Slice()),
);

function written(write: (into: ByteWriter) => boolean): string | undefined {
  const into = new ByteWriter(8);
  into.add(Buffer.from('before '));
  const isWritten = write(into);
  const text = into.take().latin1Slice();
  expect(text.startsWith('before ')).toBe(true);
  if (!isWritten) expect(text).toBe('before ');
  return isWritten ? text.slice(7) : undefined;
}

it('writes labels as the printer of names does, or nothing where one needs escapes', () => {
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), (labels) => {
      const key = keyFromLabels(labels);
      const text = printLabels(key);
      const shown = /^[a-z0-9_*/+=:.-]+$/.test(text) ? text : undefined;
      const bytes = Buffer.concat([Buffer.from('x'), keyToBytes(key), Buffer.from('y')]);
      expect(written((into) => writeKey(bytes, 1, bytes.length - 1, into))).toBe(shown);
      const wire = Buffer.concat([Buffer.from('x'), labelsToWire(key), Buffer.from('y')]);
      expect(written((into) => writeLabels(wire, 1, wire.length - 1, into))).toBe(shown);
    }),
  );
});

it('writes addresses and numbers', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 4, maxLength: 4 }), fc.maxSafeNat(), (bytes, number) => {
      const into = new ByteWriter(1);
      writeIpv4(bytes, 0, into);
      expect(into.take().latin1Slice()).toBe(printIpv4(Buffer.from(bytes)));
      writeNumber(number, into);
      expect(into.take().latin1Slice()).toBe(String(number));
    }),
  );
});

/** The hashes of events: whatever is changed in what they cover, they are others. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DeltaPart } from './delta.ts';
import { digestOfContent, hashOfEvent } from './event-row.ts';

const header = {
  seq: 7,
  stream: 1,
  serial: 3,
  kind: 'records.changed',
  zoneName: 'example',
  zoneEnabled: 1,
  at: 1000,
  changeSource: 'api',
  actorKind: null,
  actorName: null,
  requestId: null,
} as Parameters<typeof hashOfEvent>[0];

const digest = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));

function flipped(bytes: Buffer, at: number): Buffer {
  const other = Buffer.from(bytes);
  other[at]! ^= 1;
  return other;
}

it('the hash of an event covers each byte of the hash before it and of its content', () => {
  fc.assert(
    fc.property(digest, digest, (content, previous) => {
      const hash = hashOfEvent(header, content, previous);
      expect(hashOfEvent({ ...header }, content, previous)).toEqual(hash);
      for (let at = 0; at < 32; at++) {
        expect(hashOfEvent(header, flipped(content, at), previous)).not.toEqual(hash);
        expect(hashOfEvent(header, content, flipped(previous, at))).not.toEqual(hash);
      }
    }),
    { numRuns: 3 },
  );
});

it.each(Object.keys(header))('the hash of an event covers %s', (field) => {
  const bytes = Buffer.alloc(32);
  const changed = { ...header, [field]: 'other' };
  expect(hashOfEvent(changed, bytes, bytes)).not.toEqual(hashOfEvent(header, bytes, bytes));
});

it.each([10, 70_000])('the digest of a content with %d bytes covers all of its parts', (size) => {
  const records = Buffer.alloc(size);
  const part = { part: 0, change: 1, layer: 1, count: 2, records, ids: null } as DeltaPart;
  const contents: [string, DeltaPart[]][] = [
    ['{}', [part]],
    ['{ }', [part]],
    ['{}', [part, part]],
    ['{}', [{ ...part, part: 1 }]],
    ['{}', [{ ...part, change: 0 as DeltaPart['change'] }]],
    ['{}', [{ ...part, layer: 0 as DeltaPart['layer'] }]],
    ['{}', [{ ...part, count: 3 }]],
    ['{}', [{ ...part, records: flipped(records, 0) }]],
    ['{}', [{ ...part, records: flipped(records, size - 1) }]],
    ['{}', [{ ...part, records: records.subarray(1), ids: Buffer.alloc(1) }]],
    ['{}', [{ ...part, ids: Buffer.alloc(0) }]],
    ['{}', [{ ...part, ids: Buffer.alloc(1) }]],
  ];
  const digests = contents.map(([payload, parts]) => digestOfContent(payload, parts));
  expect(new Set(digests.map((each) => each.toString('hex'))).size).toBe(contents.length);
});

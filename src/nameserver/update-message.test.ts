/**
 * Sections of UPDATE messages (RFC 2136 2.4, 2.5, 3.2, 3.4.1). Numbers are those of spec/tests/cases.md.
 */
import { describe, expect, it } from 'vitest';
import { wireName } from '../../spec/support/dns-messages.ts';
import { parseAbsoluteName } from '../dns/name.ts';
import { parseType } from '../dns/rrtype.ts';
import { decodeMessage } from '../dns/wire/decode.ts';
import { nameserverLimits } from './limits.ts';
import { excessOf, readUpdate, type UpdateSections } from './update-message.ts';

const classOf = { IN: 1, CH: 3, NONE: 254, ANY: 255 } as const;

interface Line {
  readonly name?: string;
  readonly type: string;
  readonly class: keyof typeof classOf;
  readonly ttl?: number;
  readonly rdata?: Buffer;
}

const address = Buffer.from([192, 0, 2, 1]);

function recordOf({ name = 'www.example.com', type, class: wanted, ttl = 0, rdata }: Line): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(parseType(type)!, 0);
  head.writeUInt16BE(classOf[wanted], 2);
  head.writeUInt32BE(ttl, 4);
  head.writeUInt16BE(rdata?.length ?? 0, 8);
  // The name of the question, in two bytes.
  const owner = name === '@' ? Buffer.from([0xc0, 12]) : wireName(name);
  return Buffer.concat([owner, head, rdata ?? Buffer.alloc(0)]);
}

/** What the door makes of a message; as text what it finds wrong. */
function read(prerequisites: readonly Line[], updates: readonly Line[]): UpdateSections | string {
  const header = Buffer.from([0x12, 0x34, 0x28, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  header.writeUInt16BE(prerequisites.length, 6);
  header.writeUInt16BE(updates.length, 8);
  const zone = Buffer.concat([wireName('example.com'), Buffer.from([0, 6, 0, 1])]);
  const records = [...prerequisites, ...updates].map(recordOf);
  try {
    const message = decodeMessage(Buffer.concat([header, zone, ...records]));
    const excess = excessOf(message);
    if (excess !== undefined) return `REFUSED ${excess}`;
    const { messageError: fault, ...sections } = readUpdate(
      message,
      parseAbsoluteName('example.com'),
    );
    if (fault === undefined) return sections;
    return `${fault.rcode} ${fault.message} ${JSON.stringify(kindsOf(sections))}`;
  } catch (error) {
    return `unreadable: ${(error as Error).message}`;
  }
}

function kindsOf({ prerequisites, operations: steps }: UpdateSections): string[] {
  return [...prerequisites, ...steps].map(({ kind }) => kind);
}

const owner = 'www\0';

describe('prerequisites', () => {
  it('have five forms; those of the zone’s class are taken together', () => {
    const other = Buffer.from([192, 0, 2, 2]);
    expect(
      read(
        [
          { type: 'ANY', class: 'ANY' },
          { type: 'A', class: 'ANY' },
          { type: 'ANY', class: 'NONE' },
          { type: 'A', class: 'NONE' },
          { type: 'A', class: 'IN', rdata: address },
          { type: 'TYPE65280', class: 'IN' },
          { name: 'WWW.Example.COM', type: 'A', class: 'IN', rdata: other },
        ],
        [],
      ),
    ).toEqual({
      prerequisites: [
        { kind: 'name-in-use', owner },
        { kind: 'rrset-exists', owner, type: 1 },
        { kind: 'name-not-in-use', owner },
        { kind: 'rrset-absent', owner, type: 1 },
        { kind: 'rrset-equals', owner, type: 1, rdatas: [address, other] },
        { kind: 'rrset-equals', owner, type: 65_280, rdatas: [Buffer.alloc(0)] },
      ],
      operations: [],
    });
  });

  it.each<[string, Line]>([
    ['FORMERR', { type: 'A', class: 'ANY', ttl: 1 }],
    ['FORMERR', { type: 'A', class: 'NONE', ttl: 1 }],
    ['FORMERR', { type: 'A', class: 'IN', ttl: 1, rdata: address }],
    ['FORMERR', { type: 'A', class: 'NONE', rdata: address }],
    ['FORMERR', { type: 'A', class: 'CH', rdata: address }],
    ['FORMERR', { type: 'ANY', class: 'IN', rdata: address }],
    ['FORMERR', { type: 'AXFR', class: 'ANY' }],
    ['FORMERR', { type: 'TYPE0', class: 'NONE' }],
    ['NOTZONE', { name: 'www.example.org', type: 'A', class: 'ANY' }],
    ['NOTZONE', { name: 'com', type: 'ANY', class: 'NONE' }],
    ['unreadable', { type: 'A', class: 'ANY', rdata: address }],
    ['unreadable', { type: 'A', class: 'IN' }],
    ['unreadable', { type: 'OPT', class: 'ANY' }],
  ])('case 2: %s for %o', (expected, line) => {
    expect(read([line], [])).toMatch(new RegExp(`^${expected}`));
  });
});

describe('a fault', () => {
  const good: Line = { type: 'A', class: 'IN', rdata: address };
  const bad: Line = { type: 'A', class: 'ANY', ttl: 1 };
  const inUse: Line = { type: 'ANY', class: 'ANY' };

  it('leaves what stands before it to be judged, of collected RRsets none', () => {
    const elsewhere: Line = { ...inUse, name: 'www.example.org' };
    expect(read([inUse, good, bad, elsewhere, inUse], [good])).toMatch(
      /^FORMERR .* \["name-in-use"\]$/,
    );
    expect(read([inUse, elsewhere, bad], [])).toMatch(/^NOTZONE .* \["name-in-use"\]$/);
    expect(read([bad], [{ ...good, name: 'www.example.org' }])).toMatch(/^FORMERR .* \[\]$/);
  });

  it('of an update comes after all prerequisites', () => {
    expect(read([inUse, good], [good, bad, good])).toMatch(
      /^FORMERR .* \["name-in-use","rrset-equals","add"\]$/,
    );
  });
});

describe('steps', () => {
  it('have four forms, and keep their order', () => {
    expect(
      read(
        [],
        [
          { type: 'ANY', class: 'ANY' },
          { type: 'A', class: 'IN', ttl: 60, rdata: address },
          { type: 'A', class: 'ANY' },
          { type: 'A', class: 'NONE', rdata: address },
          { name: 'example.com', type: 'TYPE65280', class: 'NONE' },
        ],
      ),
    ).toEqual({
      prerequisites: [],
      operations: [
        { kind: 'delete-name', owner },
        { kind: 'add', record: { owner, type: 1, ttl: 60, rdata: address } },
        { kind: 'delete-rrset', owner, type: 1 },
        { kind: 'delete-record', owner, type: 1, rdata: address },
        { kind: 'delete-record', owner: '', type: 65_280, rdata: Buffer.alloc(0) },
      ],
    });
  });

  it.each<[string, Line]>([
    ['FORMERR', { type: 'A', class: 'ANY', ttl: 1 }],
    ['FORMERR', { type: 'A', class: 'NONE', ttl: 1, rdata: address }],
    ['FORMERR', { type: 'A', class: 'NONE' }],
    ['FORMERR', { type: 'A', class: 'CH', rdata: address }],
    ['FORMERR', { type: 'ANY', class: 'IN', rdata: address }],
    ['FORMERR', { type: 'ANY', class: 'NONE' }],
    ['FORMERR', { type: 'AXFR', class: 'IN', rdata: address }],
    ['FORMERR', { type: 'MAILA', class: 'ANY' }],
    ['FORMERR', { type: 'MAILB', class: 'IN', rdata: address }],
    ['FORMERR', { type: 'TKEY', class: 'IN', rdata: address }],
    ['FORMERR', { type: 'TYPE0', class: 'IN', rdata: address }],
    ['NOTZONE', { name: 'example.org', type: 'A', class: 'IN', rdata: address }],
    ['NOTZONE', { name: 'wwwexample.com', type: 'ANY', class: 'ANY' }],
    ['unreadable', { type: 'A', class: 'ANY', rdata: address }],
    ['unreadable', { type: 'A', class: 'IN', rdata: Buffer.alloc(3) }],
    ['unreadable', { type: 'TSIG', class: 'ANY' }],
    ['unreadable', { type: 'OPT', class: 'IN' }],
  ])('case 8: %s for %o', (expected, line) => {
    const good: Line = { type: 'A', class: 'IN', ttl: 60, rdata: address };
    expect(read([], [good, line])).toMatch(new RegExp(`^${expected}`));
  });

  it('case 19: so many in one message and no more', () => {
    const most = nameserverLimits.updateRecords;
    const lines = (count: number): Line[] =>
      Array.from({ length: count }, () => ({ name: '@', type: 'A', class: 'ANY' }));
    expect(read([], lines(most))).toMatchObject({ prerequisites: [] });
    expect(read(lines(1), lines(most))).toMatch(/^REFUSED 4097 records/);
  });
});

import { describe, expect, it } from 'vitest';
import { emptyName, parseAbsoluteName } from '../dns/name.ts';
import { parseType, rrtype } from '../dns/rrtype.ts';
import { opcode, rcode, recordClass } from '../dns/wire/header.ts';
import type { Message, WireRecord } from '../dns/wire/message.ts';
import { judgeDsAnswer } from './ds-probe.ts';

const apex = parseAbsoluteName('child.example.test');
const first = Buffer.from(`1234 0d02 ${'ab'.repeat(32)}`.replaceAll(' ', ''), 'hex');
const second = Buffer.from('5678 fd ff 01'.replaceAll(' ', ''), 'hex');

function record(name: string, type: string, rdata = Buffer.alloc(0), ttl = 300): WireRecord {
  const owner = name === '.' ? emptyName : parseAbsoluteName(name);
  return { name: owner, type: parseType(type)!, class: recordClass.IN, ttl, rdata };
}

const ds = (rdata = first, ttl = 300) => record('child.example.test', 'DS', rdata, ttl);
const soa = (owner: string) => record(owner, 'SOA');

function judged(changes: Partial<Message>) {
  const message: Message = {
    id: 1,
    opcode: opcode.QUERY,
    rcode: rcode.NOERROR,
    response: true,
    authoritative: true,
    truncated: false,
    recursionDesired: false,
    recursionAvailable: false,
    authenticData: false,
    checkingDisabled: false,
    questions: [{ name: apex, type: rrtype.DS, class: recordClass.IN }],
    answers: [],
    authorities: [],
    additionals: [],
    ...changes,
  };
  return judgeDsAnswer(message, apex);
}

describe('the DS of a parent', () => {
  it('is the RRset at the name of the zone, byte by byte', () => {
    const answers = [ds(first), record('child.example.test', 'RRSIG'), ds(second)];
    expect(judged({ answers })).toEqual({ ds: [first, second], ttlSeconds: 300 });
  });

  it('has the largest TTL that caches may have seen', () => {
    expect(judged({ answers: [ds(first, 60), ds(second, 900)] })).toMatchObject({
      ttlSeconds: 900,
    });
  });

  it.each(['.', 'test', 'example.test'])('is none by the word of %s', (owner) => {
    const nothing = { ds: [], ttlSeconds: null };
    expect(judged({ authorities: [soa(owner)] })).toEqual(nothing);
    expect(judged({ authorities: [soa(owner)], rcode: rcode.NXDOMAIN })).toEqual({
      ...nothing,
      noName: true,
    });
  });
});

describe('an answer that does not count', () => {
  const elsewhere = parseAbsoluteName('other.example.test');
  const own = "answered with the zone's own SOA: it is a server of the zone, not of its parent";
  const noSoa = 'answered neither with a DS nor with the SOA of the parent zone';
  const unasked = 'answered with records that were not asked for';
  const uncached = 'answered without authority';

  it.each<[string, Partial<Message>, string]>([
    ['of the zone itself', { authorities: [soa('child.example.test')] }, own],
    [
      'of the zone itself, NXDOMAIN',
      { authorities: [soa('child.example.test')], rcode: rcode.NXDOMAIN },
      own,
    ],
    ['of both', { authorities: [soa('example.test'), soa('child.example.test')] }, own],
    [
      'of a zone below',
      { authorities: [soa('www.child.example.test')] },
      'answered with the SOA of www.child.example.test., which is no parent of the zone',
    ],
    [
      'of a name that only ends alike',
      { authorities: [soa('ample.test')] },
      'answered with the SOA of ample.test., which is no parent of the zone',
    ],
    ['without SOA', {}, noSoa],
    ['without SOA, NXDOMAIN', { rcode: rcode.NXDOMAIN }, noSoa],
    [
      'with an SOA of another class',
      { authorities: [{ ...soa('example.test'), class: recordClass.CH }] },
      noSoa,
    ],
    ['REFUSED', { rcode: rcode.REFUSED, authoritative: false }, 'answered REFUSED'],
    ['SERVFAIL with a DS', { rcode: rcode.SERVFAIL, answers: [ds()] }, 'answered SERVFAIL'],
    ['with an RCODE of EDNS', { rcode: rcode.BADVERS }, 'answered BADVERS'],
    ['of a cache', { authoritative: false, answers: [ds()] }, uncached],
    ['of a cache, none', { authoritative: false, authorities: [soa('example.test')] }, uncached],
    [
      'a referral',
      { authoritative: false, authorities: [record('test', 'NS')] },
      'referred to the servers of test. instead of answering',
    ],
    [
      'a CNAME',
      { answers: [record('child.example.test', 'CNAME'), ds()] },
      'answered with a CNAME instead of a delegation',
    ],
    [
      'a DNAME above',
      { answers: [record('example.test', 'DNAME')] },
      'answered with a DNAME instead of a delegation',
    ],
    [
      'a DS of another name',
      { answers: [{ ...ds(), name: elsewhere }], authorities: [soa('example.test')] },
      unasked,
    ],
    [
      'a DS of another class',
      { answers: [{ ...ds(), class: recordClass.CH }], authorities: [soa('example.test')] },
      unasked,
    ],
    ['another type', { answers: [ds(), record('child.example.test', 'NS')] }, unasked],
    [
      'NXDOMAIN and a DS',
      { rcode: rcode.NXDOMAIN, answers: [ds()], authorities: [soa('example.test')] },
      'answered NXDOMAIN and a DS at once',
    ],
  ])('%s', (_, message, failure) => {
    expect(judged(message)).toEqual({ failure });
  });
});

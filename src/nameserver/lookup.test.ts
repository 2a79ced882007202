import { describe, expect, it } from 'vitest';
import { absolute, memoryNodes, memoryZone } from '../../spec/support/memory-zones.ts';
import { printAbsoluteName } from '../dns/name.ts';
import { printRdata } from '../dns/rdata/rdata.ts';
import { parseType, printType, rrtype } from '../dns/rrtype.ts';
import { rcodeName } from '../dns/wire/header.ts';
import type { AnswerRrset } from './answer.ts';
import { findAnsweringZone, lookup } from './lookup.ts';

const example = memoryZone(
  'example.com',
  `@ NS ns1.example.com.
   @ NS ns.elsewhere.net.
   @ MX 10 mail.example.com.
   @ MX 20 mail.example.com.
   ns1 A 192.0.2.1
   ns1 AAAA 2001:db8::1
   mail A 192.0.2.25
   www CNAME web.example.com.
   web A 192.0.2.80
   web A 192.0.2.81
   out CNAME www.example.org.
   dangling CNAME nothing.example.com.
   loop1 CNAME loop2.example.com.
   loop2 CNAME loop1.example.com.
   into CNAME host.sub.example.com.
   a.b.ent TXT "below"
   sub NS ns.sub.example.com.
   sub NS ns1.example.com.
   sub NS ns.other.example.com.
   ns.sub A 192.0.2.53
   host.sub A 192.0.2.99
   *.sub A 192.0.2.98
   other NS ns.other.example.com.
   ns.other A 192.0.2.54
   secure NS ns1.example.com.
   secure DS 12345 13 2 ${'AB'.repeat(32)}
   _sip._tcp SRV 0 5 5060 web.example.com.
   only CNAME web.example.com.
   old DNAME new.example.com.
   host.new A 192.0.2.70
   away DNAME example.net.
   tochild CNAME child.example.com.
   child NS ns1.child.example.com.
   child DS 1 13 2 ${'CD'.repeat(32)}
   ns1.child A 192.0.2.60`,
);
const child = memoryZone('child.example.com', `@ NS ns1.child.example.com.\nns1 A 192.0.2.60`);
const orphan = memoryZone('orphan.example.com', '@ NS ns1.example.com.');
const off = memoryZone('off.example.com', '@ NS ns1.example.com.', { enabled: false });

function show(rrsets: readonly AnswerRrset[]): string[] {
  return rrsets.flatMap(({ name, type, ttl, rdatas }) =>
    rdatas.map(
      (rdata) => `${printAbsoluteName(name)} ${ttl} ${printType(type)} ${printRdata(type, rdata)}`,
    ),
  );
}

function askIn(zones: Parameters<typeof memoryNodes>[0]) {
  const nodes = memoryNodes(zones);
  return (name: string, type: string) => {
    const key = absolute(name);
    const zone = findAnsweringZone(nodes, key, parseType(type)!)!;
    const answer = lookup(nodes, zone, key, parseType(type)!, false);
    return {
      rcode: rcodeName(answer.rcode),
      aa: answer.authoritative,
      answers: show(answer.answers),
      authorities: show(answer.authorities),
      glue: show(answer.glue),
      additionals: show(answer.additionals),
      denials: answer.denials,
    };
  };
}

const ask = askIn([example, child, orphan, off]);
const soa = 'example.com. 300 SOA ns1.example.com. hostmaster.example.com. 1 300 60 3600000 300';

describe('authoritative look-up (RFC 1034 4.3.2)', () => {
  it('answers with the whole RRset', () => {
    const { rcode, aa, answers, authorities } = ask('web.example.com.', 'A');
    expect({ rcode, aa, authorities }).toEqual({ rcode: 'NOERROR', aa: true, authorities: [] });
    expect(answers).toEqual([
      'web.example.com. 3600 A 192.0.2.80',
      'web.example.com. 3600 A 192.0.2.81',
    ]);
  });

  it('answers SOA at the apex with the TTL of the zone', () => {
    expect(ask('example.com.', 'SOA').answers).toEqual([soa.replace(' 300 SOA', ' 3600 SOA')]);
    expect(ask('web.example.com.', 'SOA')).toMatchObject({ answers: [], authorities: [soa] });
  });

  it('sends addresses of names in the zone along, each once', () => {
    const { additionals } = ask('example.com.', 'MX');
    expect(additionals).toEqual(['mail.example.com. 3600 A 192.0.2.25']);
    expect(ask('example.com.', 'NS').additionals).toEqual([
      'ns1.example.com. 3600 A 192.0.2.1',
      'ns1.example.com. 3600 AAAA 2001:db8::1',
    ]);
    expect(ask('_sip._tcp.example.com.', 'SRV').additionals).toHaveLength(2);
  });

  it('follows CNAMEs inside the zone and no further', () => {
    expect(ask('www.example.com.', 'A').answers).toEqual([
      'www.example.com. 3600 CNAME web.example.com.',
      'web.example.com. 3600 A 192.0.2.80',
      'web.example.com. 3600 A 192.0.2.81',
    ]);
    expect(ask('www.example.com.', 'CNAME').answers).toHaveLength(1);
    expect(ask('out.example.com.', 'A')).toMatchObject({
      rcode: 'NOERROR',
      answers: ['out.example.com. 3600 CNAME www.example.org.'],
      authorities: [],
    });
  });

  it('says NXDOMAIN when a chain ends in nothing (RFC 6604 3)', () => {
    expect(ask('dangling.example.com.', 'A')).toMatchObject({
      rcode: 'NXDOMAIN',
      aa: true,
      answers: ['dangling.example.com. 3600 CNAME nothing.example.com.'],
      authorities: [soa],
    });
    expect(ask('www.example.com.', 'TXT')).toMatchObject({ rcode: 'NOERROR', authorities: [soa] });
  });

  it('ends a loop of CNAMEs', () => {
    expect(ask('loop1.example.com.', 'A').answers).toEqual([
      'loop1.example.com. 3600 CNAME loop2.example.com.',
      'loop2.example.com. 3600 CNAME loop1.example.com.',
    ]);
  });

  it('ends a long chain of CNAMEs', () => {
    const links = Array.from({ length: 60 }, (_, at) => `c${at} CNAME c${at + 1}.chain.test.`);
    const answer = askIn([memoryZone('chain.test', links.join('\n'))])('c0.chain.test.', 'A');
    expect(answer.answers).toHaveLength(16);
    expect(answer.rcode).toBe('NOERROR');
  });
});

describe('negative answers (RFC 2308)', () => {
  it('carry the SOA with the lesser of its TTL and its minimum', () => {
    expect(ask('nothing.example.com.', 'A')).toMatchObject({
      rcode: 'NXDOMAIN',
      aa: true,
      answers: [],
      authorities: [soa],
    });
    expect(ask('web.example.com.', 'TXT')).toMatchObject({ rcode: 'NOERROR', authorities: [soa] });
    const brief = askIn([memoryZone('example.org', '', { defaultTtl: 60, minimumTtl: 900 })]);
    expect(brief('x.example.org.', 'A').authorities[0]).toMatch(/^example\.org\. 60 SOA/);
  });

  it('are NODATA at an empty non-terminal', () => {
    for (const name of ['ent.example.com.', 'b.ent.example.com.']) {
      expect(ask(name, 'A')).toMatchObject({ rcode: 'NOERROR', answers: [], authorities: [soa] });
    }
    expect(ask('c.ent.example.com.', 'A').rcode).toBe('NXDOMAIN');
  });
});

describe('delegations (RFC 1034 4.2.1)', () => {
  it('refer, without authority, with the glue below the cut', () => {
    expect(ask('host.sub.example.com.', 'A')).toEqual({
      rcode: 'NOERROR',
      aa: false,
      answers: [],
      authorities: [
        'sub.example.com. 3600 NS ns.sub.example.com.',
        'sub.example.com. 3600 NS ns.other.example.com.',
        'sub.example.com. 3600 NS ns1.example.com.',
      ],
      glue: ['ns.sub.example.com. 3600 A 192.0.2.53'],
      additionals: expect.arrayContaining([
        'ns1.example.com. 3600 A 192.0.2.1',
        'ns.other.example.com. 3600 A 192.0.2.54',
      ]),
      denials: [{ kind: 'no-ds', name: 'sub\0' }],
    });
  });

  it('refer at the cut itself, and for its NS', () => {
    expect(ask('sub.example.com.', 'NS')).toMatchObject({ aa: false, answers: [] });
    expect(ask('sub.example.com.', 'A')).toMatchObject({ aa: false, answers: [] });
  });

  it('hide wildcards below the cut (case 71)', () => {
    expect(ask('any.sub.example.com.', 'A')).toMatchObject({ aa: false, answers: [] });
  });

  it('are answered for DS by the parent', () => {
    expect(ask('secure.example.com.', 'DS')).toMatchObject({ aa: true, authorities: [] });
    expect(ask('secure.example.com.', 'DS').answers).toHaveLength(1);
    expect(ask('sub.example.com.', 'DS')).toMatchObject({ aa: true, authorities: [soa] });
    expect(ask('x.secure.example.com.', 'DS')).toMatchObject({ aa: false, answers: [] });
  });

  it('keep the authority of the alias that led there', () => {
    const answer = ask('into.example.com.', 'A');
    expect(answer.aa).toBe(true);
    expect(answer.answers).toEqual(['into.example.com. 3600 CNAME host.sub.example.com.']);
    expect(answer.authorities).toHaveLength(3);
  });

  it('of stored children: DS from the parent, all else from the child (decisions 8)', () => {
    expect(ask('child.example.com.', 'DS').answers).toEqual([
      `child.example.com. 3600 DS 1 13 2 ${'CD'.repeat(32)}`,
    ]);
    expect(ask('child.example.com.', 'NS')).toMatchObject({ aa: true });
    expect(ask('ns1.child.example.com.', 'A')).toMatchObject({ aa: true });
  });

  it('of stored children: an alias to one leads to the DS at the parent, and nowhere else', () => {
    const alias = 'tochild.example.com. 3600 CNAME child.example.com.';
    expect(ask('tochild.example.com.', 'DS').answers).toEqual([
      alias,
      `child.example.com. 3600 DS 1 13 2 ${'CD'.repeat(32)}`,
    ]);
    expect(ask('tochild.example.com.', 'NS')).toMatchObject({ answers: [alias], authorities: [] });
  });

  it('that the stored parent does not make leave DS as NODATA of the child', () => {
    const answer = ask('orphan.example.com.', 'DS');
    expect(answer).toMatchObject({ rcode: 'NOERROR', aa: true, answers: [] });
    expect(answer.authorities[0]).toMatch(/^orphan\.example\.com\. 300 SOA/);
  });
});

describe('ANY (RFC 8482)', () => {
  it('is answered with one RRset, the same each time', () => {
    expect(ask('example.com.', 'ANY').answers.every((line) => line.includes(' NS '))).toBe(true);
    expect(ask('ns1.example.com.', 'ANY').answers).toEqual(['ns1.example.com. 3600 A 192.0.2.1']);
    expect(ask('www.example.com.', 'ANY').answers).toHaveLength(1);
    expect(ask('ent.example.com.', 'ANY')).toMatchObject({ answers: [], authorities: [soa] });
    const empty = askIn([memoryZone('empty.test', '')]);
    expect(empty('empty.test.', 'ANY').answers[0]).toContain(' SOA ');
  });
});

describe('DNAME (RFC 6672)', () => {
  it('answers with the DNAME, the CNAME it stands for, and what that leads to', () => {
    expect(ask('host.old.example.com.', 'A').answers).toEqual([
      'old.example.com. 3600 DNAME new.example.com.',
      'host.old.example.com. 3600 CNAME host.new.example.com.',
      'host.new.example.com. 3600 A 192.0.2.70',
    ]);
    expect(ask('a.b.away.example.com.', 'A').answers[1]).toBe(
      'a.b.away.example.com. 3600 CNAME a.b.example.net.',
    );
  });

  it('does not move its own name (2.3)', () => {
    expect(ask('old.example.com.', 'A')).toMatchObject({ rcode: 'NOERROR', authorities: [soa] });
    expect(ask('old.example.com.', 'DNAME').answers).toHaveLength(1);
  });

  it('is YXDOMAIN when the new name is too long (3.2)', () => {
    const target = `${'l'.repeat(63)}.${'m'.repeat(63)}.${'n'.repeat(63)}.test.`;
    const long = askIn([memoryZone('d.test', `x DNAME ${target}`)]);
    const name = `${'q'.repeat(63)}.x.d.test.`;
    expect(long(name, 'A')).toMatchObject({ rcode: 'YXDOMAIN', aa: true });
    expect(long(name, 'A').answers).toEqual([`x.d.test. 3600 DNAME ${target}`]);
    expect(long('fits.x.d.test.', 'A').rcode).toBe('NOERROR');
  });

  it('works at the apex', () => {
    const apex = askIn([memoryZone('d.test', '@ DNAME example.net.\n@ TXT "here"')]);
    expect(apex('www.d.test.', 'A').answers[1]).toBe('www.d.test. 3600 CNAME www.example.net.');
    expect(apex('d.test.', 'TXT').answers).toEqual(['d.test. 3600 TXT "here"']);
  });

  it('that leads into itself ends', () => {
    const self = askIn([memoryZone('d.test', 'x DNAME x.x.d.test.')]);
    const { answers } = self('a.x.d.test.', 'A');
    expect(answers.length).toBeLessThanOrEqual(1 + 16);
    expect(answers.filter((line) => line.includes(' DNAME '))).toHaveLength(1);
  });

  it('ends with the CNAME it stands for when that was asked for', () => {
    for (const type of ['CNAME', 'ANY']) {
      expect(ask('host.old.example.com.', type)).toMatchObject({
        rcode: 'NOERROR',
        answers: [
          'old.example.com. 3600 DNAME new.example.com.',
          'host.old.example.com. 3600 CNAME host.new.example.com.',
        ],
        authorities: [],
      });
    }
  });
});

describe('wildcards (RFC 4592 2.2.1, case 71)', () => {
  const zone = memoryZone(
    'example',
    `@ NS ns.example.com.
     @ NS ns.example.net.
     * TXT "this is a wildcard"
     * MX 10 host1.example.
     sub.* TXT "this is not a wildcard"
     host1 A 192.0.2.1
     _ssh._tcp.host1 SRV 0 0 22 host1.example.
     _ssh._tcp.host2 SRV 0 0 22 host1.example.
     subdel NS ns.example.com.
     subdel NS ns.example.net.`,
  );
  const wild = askIn([zone]);

  it('answer what does not exist', () => {
    expect(wild('host3.example.', 'MX').answers).toEqual([
      'host3.example. 3600 MX 10 host1.example.',
    ]);
    expect(wild('foo.bar.example.', 'TXT').answers).toEqual([
      'foo.bar.example. 3600 TXT "this is a wildcard"',
    ]);
  });

  it('say that the type is missing, not the name', () => {
    expect(wild('host3.example.', 'A')).toMatchObject({ rcode: 'NOERROR', answers: [] });
  });

  it('do not answer what exists, or what is below something that exists', () => {
    expect(wild('host1.example.', 'MX')).toMatchObject({ rcode: 'NOERROR', answers: [] });
    expect(wild('sub.*.example.', 'MX')).toMatchObject({ rcode: 'NOERROR', answers: [] });
    expect(wild('_telnet._tcp.host1.example.', 'SRV').rcode).toBe('NXDOMAIN');
    expect(wild('ghost.*.example.', 'MX').rcode).toBe('NXDOMAIN');
  });

  it('do not answer below a zone cut', () => {
    expect(wild('host.subdel.example.', 'A')).toMatchObject({ aa: false, answers: [] });
  });

  it('are names like others when asked for', () => {
    expect(wild('*.example.', 'TXT').answers).toEqual(['*.example. 3600 TXT "this is a wildcard"']);
    expect(wild('a*.example.', 'TXT').answers[0]).toMatch(/^a\*\.example\. 3600 TXT/);
  });

  it('may be CNAMEs, at any level, and empty', () => {
    const more = askIn([
      memoryZone(
        'w.test',
        `* CNAME t.w.test.
         t A 192.0.2.9
         x.*.ent TXT "makes the wildcard an empty non-terminal"
         *.sub A 192.0.2.8`,
      ),
    ]);
    expect(more('any.w.test.', 'A').answers).toEqual([
      'any.w.test. 3600 CNAME t.w.test.',
      't.w.test. 3600 A 192.0.2.9',
    ]);
    expect(more('q.ent.w.test.', 'TXT')).toMatchObject({ rcode: 'NOERROR', answers: [] });
    expect(more('q.sub.w.test.', 'A').answers).toEqual(['q.sub.w.test. 3600 A 192.0.2.8']);
    expect(more('sub.w.test.', 'A')).toMatchObject({ rcode: 'NOERROR', answers: [] });
  });

  it('tell what a validator has to be shown', () => {
    expect(wild('foo.bar.example.', 'TXT').denials).toEqual([
      { kind: 'wildcard', name: 'bar\0foo\0', closestEncloser: '' },
    ]);
    expect(wild('host3.example.', 'A').denials).toEqual([
      { kind: 'wildcard-no-type', name: 'host3\0', wildcard: '*\0' },
    ]);
    expect(wild('ghost.*.example.', 'MX').denials).toEqual([
      { kind: 'no-name', name: '*\0ghost\0', closestEncloser: '*\0' },
    ]);
  });
});

it("finds a disabled zone, so that its names are not taken for the parent's", () => {
  const nodes = memoryNodes([example, off]);
  expect(findAnsweringZone(nodes, absolute('x.off.example.com.'), rrtype.A)?.enabled).toBe(false);
});

it.each([
  ['it', ['off.p.test']],
  ['another such zone above it', ['off.p.test', 'a.off.p.test']],
  ['a name above it', ['a.off.p.test']],
])(
  'refers to a disabled zone where the parent delegates to %s, as if it were not stored',
  (_, stored) => {
    const parent = memoryZone(
      'p.test',
      `off NS ns.elsewhere.test.
     to-off CNAME www.off.p.test.`,
    );
    const children = stored.map((apex) => memoryZone(apex, 'www A 192.0.2.1', { enabled: false }));
    const [withChild, without] = [askIn([parent, ...children]), askIn([parent])];
    for (const [name, type] of [
      ['www.off.p.test.', 'A'],
      ['off.p.test.', 'NS'],
      ['off.p.test.', 'DS'],
      ['www.off.p.test.', 'DS'],
      ['www.a.off.p.test.', 'A'],
      ['a.off.p.test.', 'DS'],
      ['to-off.p.test.', 'A'],
    ] as const) {
      expect(withChild(name, type)).toEqual(without(name, type));
    }
    expect(without('www.off.p.test.', 'A').authorities).toEqual([
      'off.p.test. 3600 NS ns.elsewhere.test.',
    ]);
  },
);

it('refers to a disabled zone between two others for the DS of the lower one', () => {
  const parent = memoryZone('p.test', 'off NS ns.elsewhere.test.');
  const between = memoryZone('off.p.test', 'a NS ns.elsewhere.test.', { enabled: false });
  const child = memoryZone('a.off.p.test', 'www A 192.0.2.1');
  const ds = ['a.off.p.test.', 'DS'] as const;
  expect(askIn([parent, between, child])(...ds)).toEqual(askIn([parent])(...ds));
  expect(askIn([parent, between, child])('www.a.off.p.test.', 'A').answers).toHaveLength(1);
});

/**
 * The examples of RFC 4035 Appendix B, and what its section 3.1 and others ask of answers from a zone
 * with NSEC: which signatures and proofs stand in which section.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { type SignedAnswers, signedAnswers } from '../support/signed-answers.ts';
import { exampleZone } from './example-zone.ts';

let example: SignedAnswers;
const ask = (name: string, type: string, dnssecOk?: boolean) => example.ask(name, type, dnssecOk);

beforeAll(async () => {
  example = await signedAnswers('example', exampleZone, 'nsec');
});

const soa = [expect.stringMatching(/^example\. SOA /), 'example. RRSIG SOA'];

describe('the examples of RFC 4035 Appendix B', () => {
  it('B.1: an answer comes with its signature, and so do addresses', () => {
    expect(ask('x.w.example.', 'MX')).toEqual({
      rcode: 'NOERROR',
      aa: true,
      answers: ['x.w.example. MX 1 xx.example.', 'x.w.example. RRSIG MX'],
      authorities: [],
      glue: [],
      additionals: [
        'xx.example. A 192.0.2.10',
        'xx.example. RRSIG A',
        'xx.example. AAAA 2001:db8::f00:baaa',
        'xx.example. RRSIG AAAA',
      ],
    });
  });

  it('B.2: a name error shows that neither the name nor a wildcard is there', () => {
    expect(ask('ml.example.', 'A')).toMatchObject({
      rcode: 'NXDOMAIN',
      authorities: [
        ...soa,
        'b.example. NSEC ns1.example. NS RRSIG NSEC',
        'b.example. RRSIG NSEC',
        'example. NSEC a.example. NS SOA MX RRSIG NSEC DNSKEY CDS CDNSKEY',
        'example. RRSIG NSEC',
      ],
    });
  });

  it('B.3: no data shows the types that are there', () => {
    expect(ask('ns1.example.', 'MX')).toMatchObject({
      rcode: 'NOERROR',
      authorities: [
        ...soa,
        'ns1.example. NSEC ns2.example. A RRSIG NSEC',
        'ns1.example. RRSIG NSEC',
      ],
    });
  });

  it('B.4: a referral to a signed zone brings its DS', () => {
    expect(ask('mc.a.example.', 'MX')).toMatchObject({
      aa: false,
      answers: [],
      authorities: [
        'a.example. NS ns1.a.example.',
        'a.example. NS ns2.a.example.',
        'a.example. DS 57855 5 1 B6DCD485719ADCA18E5F3D48A2331627FDD3636B',
        'a.example. RRSIG DS',
      ],
      glue: ['ns1.a.example. A 192.0.2.5', 'ns2.a.example. A 192.0.2.6'],
    });
  });

  it('B.5: a referral to an unsigned zone shows that there is no DS', () => {
    expect(ask('mc.b.example.', 'MX')).toMatchObject({
      aa: false,
      authorities: [
        'b.example. NS ns1.b.example.',
        'b.example. NS ns2.b.example.',
        'b.example. NSEC ns1.example. NS RRSIG NSEC',
        'b.example. RRSIG NSEC',
      ],
    });
  });

  it('B.6: a wildcard is expanded with its signature, and proved to be the closest', () => {
    expect(ask('a.z.w.example.', 'MX')).toMatchObject({
      answers: ['a.z.w.example. MX 1 ai.example.', 'a.z.w.example. RRSIG MX'],
      authorities: ['x.y.w.example. NSEC xx.example. MX RRSIG NSEC', 'x.y.w.example. RRSIG NSEC'],
    });
  });

  it('B.7: no data at a wildcard shows both', () => {
    expect(ask('a.z.w.example.', 'AAAA')).toMatchObject({
      rcode: 'NOERROR',
      authorities: [
        ...soa,
        'x.y.w.example. NSEC xx.example. MX RRSIG NSEC',
        'x.y.w.example. RRSIG NSEC',
        '*.w.example. NSEC x.w.example. MX RRSIG NSEC',
        '*.w.example. RRSIG NSEC',
      ],
    });
  });

  it('B.8: a child that is asked for its own DS has none', () => {
    expect(ask('example.', 'DS')).toMatchObject({
      rcode: 'NOERROR',
      authorities: [
        ...soa,
        'example. NSEC a.example. NS SOA MX RRSIG NSEC DNSKEY CDS CDNSKEY',
        'example. RRSIG NSEC',
      ],
    });
  });
});

describe('further answers with NSEC', () => {
  it('3.1.3: one NSEC that shows two things is sent once', () => {
    const { authorities } = ask('zz.xx.example.', 'A');
    expect(authorities.filter((line) => line.includes(' NSEC '))).toEqual([
      'xx.example. NSEC example. A HINFO AAAA RRSIG NSEC',
    ]);
  });

  it('case 72: an empty non-terminal is proved by the NSEC before it', () => {
    expect(ask('y.w.example.', 'A')).toMatchObject({
      rcode: 'NOERROR',
      authorities: [...soa, 'x.w.example. NSEC x.y.w.example. MX RRSIG NSEC', expect.anything()],
    });
  });

  it('case 73: the DS at a delegation is the business of the parent, signed', () => {
    expect(ask('a.example.', 'DS').answers).toHaveLength(2);
    expect(ask('b.example.', 'DS')).toMatchObject({
      rcode: 'NOERROR',
      aa: true,
      authorities: [...soa, 'b.example. NSEC ns1.example. NS RRSIG NSEC', expect.anything()],
    });
  });

  it('a name between a delegation and what it hides is denied by the delegation', () => {
    const { rcode, authorities } = ask('bb.example.', 'A');
    expect(rcode).toBe('NXDOMAIN');
    expect(authorities).toContain('b.example. NSEC ns1.example. NS RRSIG NSEC');
  });

  it('case 74: a DNAME is signed, and the alias it stands for is not', async () => {
    const text = `${exampleZone}\nold DNAME w.example.`;
    const { ask: asked } = await signedAnswers('example', text, 'nsec');
    expect(asked('x.old.example.', 'MX').answers).toEqual([
      'old.example. DNAME w.example.',
      'old.example. RRSIG DNAME',
      'x.old.example. CNAME x.w.example.',
      'x.w.example. MX 1 xx.example.',
      'x.w.example. RRSIG MX',
    ]);
    // A wildcard at the end of the chain is proven like any other.
    expect(asked('q.old.example.', 'MX').authorities).toEqual([
      '*.w.example. NSEC x.w.example. MX RRSIG NSEC',
      '*.w.example. RRSIG NSEC',
    ]);
  });

  it('case 71: an alias is signed, and what a wildcard lends it is proven', async () => {
    const text = `${exampleZone}\n*.cw CNAME q.w.example.\nwww CNAME xx.example.`;
    const { ask: asked } = await signedAnswers('example', text, 'nsec');
    expect(asked('www.example.', 'A').answers).toEqual([
      'www.example. CNAME xx.example.',
      'www.example. RRSIG CNAME',
      'xx.example. A 192.0.2.10',
      'xx.example. RRSIG A',
    ]);
    const { answers, authorities } = asked('1.cw.example.', 'MX');
    expect(answers).toContain('1.cw.example. RRSIG CNAME');
    expect(authorities.filter((line) => line.includes(' NSEC '))).toEqual([
      '*.cw.example. NSEC ns1.example. CNAME RRSIG NSEC',
      '*.w.example. NSEC x.w.example. MX RRSIG NSEC',
    ]);
  });
});

describe('questions about signing itself', () => {
  it('3.1.2: DNSKEY and NSEC are answered like other types', () => {
    expect(ask('example.', 'DNSKEY').answers).toEqual([
      expect.stringMatching(/^example\. DNSKEY 257 3 13 /),
      'example. RRSIG DNSKEY',
    ]);
    expect(ask('xx.example.', 'NSEC').answers).toHaveLength(2);
  });

  it('RRSIG gets the signatures of one RRset', () => {
    expect(ask('xx.example.', 'RRSIG').answers).toEqual(['xx.example. RRSIG A']);
    expect(ask('example.', 'RRSIG', false).answers).toEqual(['example. RRSIG NS']);
    expect(ask('q.w.example.', 'RRSIG').answers).toEqual(['q.w.example. RRSIG MX']);
  });

  it('RFC 8482: ANY gets one RRset with its signature', () => {
    expect(ask('xx.example.', 'ANY').answers).toEqual([
      'xx.example. A 192.0.2.10',
      'xx.example. RRSIG A',
    ]);
  });

  it('an apex that holds nothing but what signing made answers ANY with the SOA', async () => {
    const { ask: asked } = await signedAnswers('example', 'www A 192.0.2.1', 'nsec');
    expect(asked('example.', 'ANY').answers).toEqual(soa);
    expect(asked('example.', 'RRSIG').answers).toEqual(['example. RRSIG SOA']);
  });
});

describe('without DO (RFC 4035 3.1, RFC 3225 3)', () => {
  it('nothing of signing is sent that was not asked for', () => {
    const questions = [
      ['x.w.example.', 'MX'],
      ['ml.example.', 'A'],
      ['ns1.example.', 'MX'],
      ['mc.a.example.', 'MX'],
      ['mc.b.example.', 'MX'],
      ['a.z.w.example.', 'MX'],
      ['a.z.w.example.', 'AAAA'],
      ['example.', 'ANY'],
      ['example.', 'SOA'],
    ] as const;
    for (const [name, type] of questions) {
      const { answers, authorities, glue, additionals } = ask(name, type, false);
      const lines = [...answers, ...authorities, ...glue, ...additionals];
      expect(lines.filter((line) => / (RRSIG|NSEC|DS|DNSKEY) /.test(line))).toEqual([]);
    }
  });

  it('types of signing are answered without their signatures', () => {
    expect(ask('example.', 'DNSKEY', false).answers).toHaveLength(1);
    expect(ask('a.example.', 'DS', false).answers).toHaveLength(1);
    expect(ask('xx.example.', 'NSEC', false).answers).toEqual([
      'xx.example. NSEC example. A HINFO AAAA RRSIG NSEC',
    ]);
  });
});

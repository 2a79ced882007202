/**
 * The examples of RFC 5155 Appendix B and the rules of its section 7.2, in a zone with NSEC3 without
 * salt, iterations and opt-out: which NSEC3 an answer brings, said by what they match and cover.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { printLabels } from '../../src/dns/name.ts';
import { rrtype } from '../../src/dns/rrtype.ts';
import { exampleZone } from '../rfc4035/example-zone.ts';
import { type SignedAnswers, signedAnswers } from '../support/signed-answers.ts';

let example: SignedAnswers;

beforeAll(async () => {
  example = await signedAnswers('example', exampleZone, 'nsec3');
});

/** The RCODE, and what the NSEC3 of an answer show of these names; each comes with its signature. */
function proven(name: string, type: string, ...names: string[]) {
  const { rcode, authorities } = example.ask(name, type);
  const signatures = authorities.filter((line) => line.endsWith(' RRSIG NSEC3'));
  const shown = example.shownOf(authorities, ...names);
  expect(signatures).toHaveLength(authorities.filter((line) => line.includes(' NSEC3 1 ')).length);
  return { rcode, shown: shown.sort() };
}

describe('the examples of RFC 5155 Appendix B', () => {
  it('B.1, 7.2.2: a name error shows closest encloser, next closer name and wildcard', () => {
    const names = ['x.w.example.', 'c.x.w.example.', '*.x.w.example.'];
    expect(proven('a.c.x.w.example.', 'A', ...names)).toEqual({
      rcode: 'NXDOMAIN',
      shown: ['covers *.x.w.example.', 'covers c.x.w.example.', 'matches x.w.example.'],
    });
  });

  it('B.2, 7.2.3: no data shows the types that are there', () => {
    expect(proven('ns1.example.', 'MX', 'ns1.example.')).toEqual({
      rcode: 'NOERROR',
      shown: ['matches ns1.example.'],
    });
    expect(example.ask('ns1.example.', 'MX').authorities).toContainEqual(
      expect.stringMatching(/ NSEC3 1 0 0 - \S+ A RRSIG$/),
    );
  });

  it('B.2.1: an empty non-terminal has an NSEC3 of its own (case 72)', () => {
    expect(proven('y.w.example.', 'A', 'y.w.example.')).toEqual({
      rcode: 'NOERROR',
      shown: ['matches y.w.example.'],
    });
  });

  it('B.3, 7.2.7: a referral to an unsigned zone shows that there is no DS', () => {
    const { aa, authorities, glue } = example.ask('mc.b.example.', 'MX');
    expect(aa).toBe(false);
    expect(authorities.slice(0, 2)).toEqual([
      'b.example. NS ns1.b.example.',
      'b.example. NS ns2.b.example.',
    ]);
    expect(example.shownOf(authorities, 'b.example.')).toEqual(['matches b.example.']);
    expect(authorities).toContainEqual(expect.stringMatching(/ NSEC3 1 0 0 - \S+ NS$/));
    expect(glue).toEqual(['ns1.b.example. A 192.0.2.7', 'ns2.b.example. A 192.0.2.8']);
  });

  it('a referral to a signed zone brings its DS instead', () => {
    const { authorities } = example.ask('mc.a.example.', 'MX');
    expect(authorities.slice(2)).toEqual([
      expect.stringMatching(/^a\.example\. DS /),
      'a.example. RRSIG DS',
    ]);
  });

  it('B.4, 7.2.6: a wildcard proves that the next closer name does not exist', () => {
    expect(proven('a.z.w.example.', 'MX', 'z.w.example.')).toEqual({
      rcode: 'NOERROR',
      shown: ['covers z.w.example.'],
    });
    expect(example.ask('a.z.w.example.', 'MX').answers).toEqual([
      'a.z.w.example. MX 1 ai.example.',
      'a.z.w.example. RRSIG MX',
    ]);
  });

  it('B.5, 7.2.5: no data at a wildcard shows closest encloser, next closer name and wildcard', () => {
    const names = ['w.example.', 'z.w.example.', '*.w.example.'];
    expect(proven('a.z.w.example.', 'AAAA', ...names)).toEqual({
      rcode: 'NOERROR',
      shown: ['covers z.w.example.', 'matches *.w.example.', 'matches w.example.'],
    });
  });

  it('B.6, 7.2.4: no DS at the apex of a child, nor at a delegation without', () => {
    expect(proven('example.', 'DS', 'example.').shown).toEqual(['matches example.']);
    expect(proven('b.example.', 'DS', 'b.example.').shown).toEqual(['matches b.example.']);
  });
});

describe('names made of hashes', () => {
  it('7.2.8: are no names of the zone', () => {
    const hashes = example.records.filter(({ type }) => type === rrtype.NSEC3);
    expect(hashes.length).toBeGreaterThan(10);
    for (const { owner } of hashes) {
      const name = `${printLabels(owner)}.example.`;
      for (const type of ['NSEC3', 'A', 'ANY', 'RRSIG']) {
        expect(example.ask(name, type)).toMatchObject({ rcode: 'NXDOMAIN', answers: [] });
        expect(example.ask(`x.${name}`, type)).toMatchObject({ rcode: 'NXDOMAIN', answers: [] });
      }
      const { shown } = proven(name, 'NSEC3', 'example.', name, '*.example.');
      expect(shown).toContain('matches example.');
      expect(shown).not.toContain('other');
    }
  });

  it('a wildcard stands for them like for any name that is not there', async () => {
    const text = `${exampleZone}\n* TXT "wild"`;
    const { ask, records } = await signedAnswers('example', text, 'nsec3');
    const { owner } = records.find(({ type }) => type === rrtype.NSEC3)!;
    const name = `${printLabels(owner)}.example.`;
    expect(ask(name, 'TXT').answers).toEqual([`${name} TXT "wild"`, `${name} RRSIG TXT`]);
  });

  it('a name that a user chose may be one of them', async () => {
    const { owner } = example.records.find(({ type }) => type === rrtype.NSEC3)!;
    const name = printLabels(owner);
    const text = `${exampleZone}\n${name} TXT "here"\nx.${name} TXT "below"`;
    const { ask } = await signedAnswers('example', text, 'nsec3');
    expect(ask(`${name}.example.`, 'TXT').answers).toEqual([
      `${name}.example. TXT "here"`,
      `${name}.example. RRSIG TXT`,
    ]);
    expect(ask(`${name}.example.`, 'NSEC3')).toMatchObject({ rcode: 'NOERROR', answers: [] });
    expect(ask(`${name}.example.`, 'RRSIG').answers).toEqual([`${name}.example. RRSIG TXT`]);
    expect(ask(`x.${name}.example.`, 'TXT').answers).toHaveLength(2);
  });
});

describe('questions about NSEC3 itself', () => {
  it('4: NSEC3PARAM is answered at the apex, without flags, iterations and salt (case 78)', () => {
    expect(example.ask('example.', 'NSEC3PARAM').answers).toEqual([
      'example. NSEC3PARAM 1 0 0 -',
      'example. RRSIG NSEC3PARAM',
    ]);
    expect(example.ask('example.', 'NSEC3PARAM', false).answers).toHaveLength(1);
    expect(example.ask('xx.example.', 'NSEC3PARAM')).toMatchObject({ answers: [] });
  });

  it('7.2.8: NSEC3 is an answer at no name', () => {
    for (const name of ['example.', 'xx.example.', 'q.w.example.']) {
      expect(example.ask(name, 'NSEC3')).toMatchObject({ rcode: 'NOERROR', answers: [] });
    }
  });

  it('without DO no NSEC3 is sent', () => {
    for (const [name, type] of [
      ['ml.example.', 'A'],
      ['mc.b.example.', 'A'],
    ] as const) {
      const { authorities } = example.ask(name, type, false);
      expect(authorities.filter((line) => line.includes('NSEC3'))).toEqual([]);
    }
  });
});

it('a zone of one name proves with one NSEC3 that points at itself (case 77)', async () => {
  const { ask, shownOf } = await signedAnswers('example', '@ NS ns1.other.', 'nsec3');
  const { rcode, authorities } = ask('x.example.', 'A');
  expect(rcode).toBe('NXDOMAIN');
  expect(shownOf(authorities, 'example.')).toEqual(['matches example.']);
  const line = authorities.find((one) => one.includes(' NSEC3 '))!;
  expect(line.split(' ')[6]!.toLowerCase()).toBe(line.split('.')[0]);
});

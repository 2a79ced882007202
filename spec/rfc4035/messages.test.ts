/**
 * Signed answers as messages: the bits that go with them (RFC 3225, RFC 4035 3.1.6), what fits over UDP,
 * and that a change shows at once. Read by dnspython.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dnspython } from '../support/dnspython.ts';
import { needsPeers } from '../support/peers.ts';
import {
  type DenialMode,
  type SigningServer,
  startSigningServer,
} from '../support/signing-server.ts';

interface Question {
  readonly name: string;
  readonly type: string;
  readonly payload?: number;
  /** Names of header flags, `DO` among them. */
  readonly flags?: readonly string[];
  readonly tcp?: boolean;
}

interface Told {
  readonly rcode: string;
  readonly flags: readonly string[];
  readonly bytes: number;
  /** `owner type`, RRSIG with the type they cover. */
  readonly answer: readonly string[];
  readonly authority: readonly string[];
  readonly additional: readonly string[];
}

const ask = `
def shown(section):
    return ['%s %s' % (r.name, dns.rdatatype.to_text(r.rdtype) + (' ' + dns.rdatatype.to_text(r.covers) if r.covers else '')) for r in section]

result = []
for question in given:
    flags = question.get('flags', ['DO'])
    query = dns.message.make_query(question['name'], question['type'])
    for flag in flags:
        if flag != 'DO': query.flags |= dns.flags.from_text(flag)
    if 'payload' in question or 'DO' in flags:
        query.use_edns(0, dns.flags.DO if 'DO' in flags else 0, payload=question.get('payload', 1232))
    ask = dns.query.tcp if question.get('tcp') else dns.query.udp
    answer = ask(query, '127.0.0.1', port=port, timeout=60)
    told = dns.flags.to_text(answer.flags).split() + dns.flags.edns_to_text(answer.ednsflags).split()
    result.append({'rcode': dns.rcode.to_text(answer.rcode()), 'flags': sorted(told), 'bytes': len(answer.to_wire()), 'answer': shown(answer.answer), 'authority': shown(answer.authority), 'additional': shown(answer.additional)})
`;

const records = `
  ns1 A 192.0.2.1
  @ MX 10 mail.example.test.
  mail A 192.0.2.25
  mail AAAA 2001:db8::25
  *.wild A 192.0.2.9
  sub NS ns.sub.example.test.
  ns.sub A 192.0.2.53
  ${Array.from({ length: 13 }, (_, at) => `many NS n${at}.many.example.test.\nn${at}.many AAAA 2001:db8::${at}`).join('\n')}`;

for (const denial of ['nsec', 'nsec3'] satisfies DenialMode[]) {
  needsPeers('dnspython')(`messages of a zone signed with ${denial}`, () => {
    let server: SigningServer;
    beforeAll(async () => {
      server = await startSigningServer();
      await server.create('example.test', records);
      await server.sign('example.test', denial);
      await server.create('plain.test', records.replaceAll('example.test', 'plain.test'));
    });
    afterAll(async () => {
      await server?.[Symbol.asyncDispose]();
    });

    const tell = (...questions: Question[]) => dnspython<Told[]>(server.port, ask, questions);

    it('RFC 3225 3: DO comes back as it came; RFC 4035 3.1.6: AD and CD are clear', async () => {
      const question = { name: 'mail.example.test', type: 'A' };
      const told = await tell(
        { ...question, flags: ['DO', 'AD', 'CD'] },
        { ...question, flags: ['AD', 'CD'], payload: 1232 },
        { ...question, flags: ['AD', 'CD'] },
        { ...question, name: 'mail.plain.test', flags: ['DO', 'AD', 'CD'] },
      );
      expect(told.map(({ flags }) => flags)).toEqual([
        ['AA', 'DO', 'QR', 'RD'],
        ['AA', 'QR', 'RD'],
        ['AA', 'QR', 'RD'],
        ['AA', 'DO', 'QR', 'RD'],
      ]);
      const [signed, ...others] = told.map(({ answer }) => answer);
      expect(signed).toEqual(['mail.example.test. A', 'mail.example.test. RRSIG A']);
      for (const answer of others) expect(answer).toHaveLength(1);
    });

    it('what has to be there is whole or cut, whatever fits', async () => {
      const questions = [
        { name: 'x.example.test', type: 'A' },
        { name: 'x.wild.example.test', type: 'TXT' },
        { name: 'many.example.test', type: 'A' },
        { name: 'example.test', type: 'DNSKEY' },
        { name: 'example.test', type: 'MX' },
      ].flatMap((question) =>
        [512, 600, 700, 800, 900, 1000, 1232, 4096].map((payload) => ({ ...question, payload })),
      );
      const told = await tell(...questions);
      const whole = await tell(...questions.map((question) => ({ ...question, tcp: true })));
      for (const [index, { flags, bytes, answer, authority }] of told.entries()) {
        expect(bytes).toBeLessThanOrEqual(Math.min(questions[index]!.payload, 1232));
        if (flags.includes('TC')) continue;
        const expected = whole[index]!;
        expect([answer, authority]).toEqual([expected.answer, expected.authority]);
      }
      expect(whole.some(({ flags }) => flags.includes('TC'))).toBe(false);
      expect(told.some(({ flags }) => flags.includes('TC'))).toBe(true);
    });

    it('RFC 4035 3.1.1: additional addresses may go without signatures, and cut nothing', async () => {
      const sizes = Array.from({ length: 60 }, (_, at) => 512 + at * 8);
      const told = await tell(
        ...sizes.map((payload) => ({ name: 'example.test', type: 'MX', payload })),
      );
      const whole = told.filter(({ flags }) => !flags.includes('TC'));
      expect(whole.map(({ answer }) => answer.length)).toEqual(whole.map(() => 2));
      const additional = new Set(whole.map((one) => one.additional.join(', ')));
      const all = ['A', 'RRSIG A', 'AAAA', 'RRSIG AAAA'].map(
        (type) => `mail.example.test. ${type}`,
      );
      expect(additional).toContain(all.join(', '));
      for (const one of additional) {
        for (const line of one.split(', ')) {
          const signed = line.replace('RRSIG ', '');
          if (line.includes('RRSIG')) expect(one.split(', ')).toContain(signed);
        }
      }
    });

    it('glue is never signed, and comes with a referral', async () => {
      const [told] = await tell({ name: 'x.sub.example.test', type: 'A' });
      expect(told).toMatchObject({ answer: [], additional: ['ns.sub.example.test. A'] });
      expect(told!.authority.filter((line) => line.includes('RRSIG'))).toEqual([
        expect.stringMatching(denial === 'nsec' ? /^sub\..* RRSIG NSEC$/ : / RRSIG NSEC3$/),
      ]);
    });

    it('a change shows with the next question, signed', async () => {
      const question = { name: 'new.example.test', type: 'A' };
      expect((await tell(question))[0]).toMatchObject({ rcode: 'NXDOMAIN' });
      await server.add('example.test', 'new A 192.0.2.77');
      expect((await tell(question))[0]).toMatchObject({
        rcode: 'NOERROR',
        answer: ['new.example.test. A', 'new.example.test. RRSIG A'],
      });
    });

    it('an unsigned zone answers DO with nothing more', async () => {
      const names = ['mail', 'nothing', 'x.wild', 'x.sub'].map((name) => `${name}.plain.test`);
      const told = await tell(...names.map((name) => ({ name, type: 'A' })));
      const lines = told.flatMap((one) => [...one.answer, ...one.authority, ...one.additional]);
      expect(lines.filter((line) => /RRSIG|NSEC| DS/.test(line))).toEqual([]);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { Cookies } from './cookies.ts';
import { SipHash } from './siphash.ts';

const hex = (text: string) => Buffer.from(text, 'hex');

/** Cookies at a time that is set, in seconds since 1970. */
function cookiesAt(seconds: number, secret: string) {
  const time = { seconds };
  const cookies = new Cookies(() => time.seconds * 1000, hex(secret));
  const judge = (option: string, address: string) => {
    const { state: verdict, answer } = cookies.judge(hex(option), address);
    return [verdict, answer.toString('hex')];
  };
  return { time, cookies, judge };
}

describe('SipHash-2-4', () => {
  it('gives what its authors say, for messages of 0 to 15 bytes', () => {
    // vectors.h of the reference implementation, key 00 01 .. 0f and message 00 01 02 ..
    const known = [
      '310e0edd47db6f72',
      'fd67dc93c539f874',
      '5a4fa9d909806c0d',
      '2d7efbd796666785',
      'b7877127e09427cf',
      '8da699cd64557618',
      'cee3fe586e46c9cb',
      '37d1018bf50002ab',
      '6224939a79f5f593',
      'b0e4a90bdf82009e',
      'f3b9dd94c5bb5d7a',
      'a7ad6b22462fb3f4',
      'fbe50e86bc8f1e75',
      '903d84c02756ea14',
      'eef27a8e90ca23f7',
      'e545be4961ca29a1',
    ];
    const sip = new SipHash(Buffer.from(Array.from({ length: 16 }, (_, at) => at)));
    const message = Uint8Array.from({ length: 16 }, (_, at) => at);
    const half = new Int32Array(2);
    const made = known.map((_, length) => {
      sip.hash(message, length, half);
      return Buffer.from(half.buffer).toString('hex');
    });
    expect(made).toEqual(known);
  });
});

describe('server cookies are those of RFC 9018, appendix A', () => {
  const first = 'e5e973e5a6b2a43f48e7dc849e37bfcf';

  it('A.1: learning a new one', () => {
    const { judge } = cookiesAt(1559731985, first);
    const made = '2464c4abcf10c957010000005cf79f111f8130c3eee29480';
    expect(judge('2464c4abcf10c957', '198.51.100.100')).toEqual(['new', made]);
    expect(judge(made, '198.51.100.100')).toEqual(['valid', made]);
  });

  it('A.2: the same client, 40 minutes later', () => {
    const { judge } = cookiesAt(1559734385, first);
    const given = '2464c4abcf10c957010000005cf79f111f8130c3eee29480';
    const made = '2464c4abcf10c957010000005cf7a871d4a564a1442aca77';
    expect(judge(given, '198.51.100.100')).toEqual(['valid', made]);
  });

  it('A.3: another client, whose reserved bytes are hashed as they are', () => {
    const { judge } = cookiesAt(1559734700, first);
    const given = 'fc93fc62807ddb8601abcdef5cf78f71a314227b6679ebf5';
    const made = 'fc93fc62807ddb86010000005cf7a9acf73a7810aca2381e';
    const [verdict, answer] = judge(given, '203.0.113.203');
    expect(answer).toBe(made);
    // It is older than an hour: known, and not good any more.
    expect(verdict).toBe('wrong');
  });

  it('A.4: an IPv6 client, after the secret was rolled', () => {
    const { time, cookies, judge } = cookiesAt(1559741817, 'dd3bdf9344b678b185a6f5cb60fca715');
    const address = '2001:db8:220:1:59de:d0f4:8769:82b8';
    const given = '22681ab97d52c298010000005cf7c57926556bd0934c72f8';
    expect(judge('22681ab97d52c298', address)).toEqual(['new', given]);
    time.seconds = 1559741961;
    cookies.rotate(hex('445536bcd2513298075a5d379663c962'));
    const made = '22681ab97d52c298010000005cf7c609a6bb79d16625507a';
    expect(judge(given, address)).toEqual(['valid', made]);
  });
});

describe('a server cookie', () => {
  const secret = '00112233445566778899aabbccddeeff';
  const client = '0102030405060708';

  it('is good for an hour, and made anew in its second half', () => {
    const { time, judge } = cookiesAt(1_000_000, secret);
    const [, given] = judge(client, '192.0.2.1');
    const verdicts = [-301, -300, 0, 1799, 1800, 3600, 3601].map((later) => {
      time.seconds = 1_000_000 + later;
      const [verdict, answer] = judge(given!, '192.0.2.1');
      return [later, verdict, answer === given];
    });
    expect(verdicts).toEqual([
      [-301, 'wrong', false],
      [-300, 'valid', true],
      [0, 'valid', true],
      [1799, 'valid', true],
      [1800, 'valid', false],
      [3600, 'valid', false],
      [3601, 'wrong', false],
    ]);
  });

  it('is of one client at one address, and of no one bit less', () => {
    const { judge } = cookiesAt(1_000_000, secret);
    const given = hex(judge(client, '192.0.2.1')[1]!);
    expect(judge(given.toString('hex'), '192.0.2.2')[0]).toBe('wrong');
    expect(judge(given.toString('hex'), '2001:db8::1')[0]).toBe('wrong');
    for (let bit = 0; bit < given.length * 8; bit++) {
      const changed = Buffer.from(given);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(judge(changed.toString('hex'), '192.0.2.1')[0]).toBe('wrong');
    }
  });

  it('outlives one change of the secret, and not two', () => {
    const { cookies, judge } = cookiesAt(1_000_000, secret);
    const [, given] = judge(client, '192.0.2.1');
    cookies.rotate();
    expect(judge(given!, '192.0.2.1')[0]).toBe('valid');
    cookies.rotate();
    expect(judge(given!, '192.0.2.1')[0]).toBe('wrong');
  });

  it('is made with another secret each day', () => {
    const { time, judge } = cookiesAt(1_000_000, secret);
    time.seconds += 86_399;
    const [, given] = judge(client, '192.0.2.1');
    time.seconds += 1;
    const [verdict, anew] = judge(given!, '192.0.2.1');
    expect([verdict, anew === given]).toEqual(['valid', false]);
    expect(judge(anew!, '192.0.2.1')).toEqual(['valid', anew]);
  });

  it.each([
    [7, 'malformed'],
    [8, 'new'],
    [9, 'malformed'],
    [15, 'malformed'],
    [16, 'wrong'],
    [24, 'wrong'],
    [40, 'wrong'],
    [41, 'malformed'],
  ])('in an option of %d bytes is %s', (bytes, verdict) => {
    const { judge } = cookiesAt(1_000_000, secret);
    expect(judge('ab'.repeat(bytes), '192.0.2.1')[0]).toBe(verdict);
  });
});

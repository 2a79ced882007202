import { networkInterfaces } from 'node:os';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openOutbound } from '../../spec/support/destination.ts';
import {
  Destination,
  denyWords,
  isOpen,
  isPrefix,
  OutboundPolicy,
  type OutboundRules,
} from './policy.ts';
import { datagramsTo } from './sockets.ts';

const listeners = [
  { address: '127.0.0.1', port: 5300 },
  { address: '0.0.0.0', port: 3000 },
];
const standard: OutboundRules = { deny: denyWords, allow: [], listeners };

/** Why an address is not contacted for those who reach public ones, and those who reach private ones. */
function verdicts(address: string, port = 53, rules: Partial<OutboundRules> = {}): string {
  const policy = new OutboundPolicy({ ...standard, ...rules });
  return (['public', 'private'] as const)
    .map((reach) => {
      try {
        const { address: used } = policy.admit({ address, port }, reach);
        // What was judged is what is used.
        expect(new Set([address.toLowerCase(), used]).size).toBeLessThanOrEqual(2);
        return 'open';
      } catch (error) {
        return /deny: ([a-z-]+)/.exec(String(error))?.[1] ?? /private|deny/.exec(String(error))![0];
      }
    })
    .join(' ');
}

describe('case 112: what is contacted because somebody named it', () => {
  it.each([
    ['192.0.2.1', 'open open'],
    ['8.8.8.8', 'open open'],
    ['2001:db8::1', 'open open'],
    ['2600::1', 'open open'],
    ['0.0.0.0', 'unspecified unspecified'],
    ['0.1.2.3', 'unspecified unspecified'],
    ['::', 'unspecified unspecified'],
    ['169.254.169.254', 'link-local link-local'],
    ['fe80::1', 'link-local link-local'],
    ['febf:ffff::1', 'link-local link-local'],
    ['224.0.0.1', 'multicast multicast'],
    ['239.255.255.255', 'multicast multicast'],
    ['ff02::1', 'multicast multicast'],
    ['255.255.255.255', 'broadcast broadcast'],
    ['127.0.0.1', 'private open'],
    ['127.255.255.254', 'private open'],
    ['::1', 'private open'],
    ['10.0.0.1', 'private open'],
    ['172.15.255.255', 'open open'],
    ['172.16.0.1', 'private open'],
    ['172.31.255.255', 'private open'],
    ['172.32.0.0', 'open open'],
    ['192.168.1.1', 'private open'],
    ['100.64.0.1', 'private open'],
    ['100.128.0.1', 'open open'],
    ['198.19.255.255', 'private open'],
    ['240.0.0.1', 'private open'],
    ['fd00:ec2::254', 'private open'],
    ['fec0::1', 'private open'],
  ])('%s: %s for those who reach public and private addresses', (address, expected) => {
    expect(verdicts(address)).toBe(expected);
  });

  it('is no listener of the service, by whatever address it listens on', () => {
    const own = 'own-listeners own-listeners';
    expect(verdicts('127.0.0.1', 5300)).toBe(own);
    expect(verdicts('127.0.0.2', 5300)).toBe('private open');
    for (const address of ['127.0.0.1', '127.0.0.2', '::1', '::ffff:127.0.0.1']) {
      expect(verdicts(address, 3000)).toBe(own);
    }
    for (const each of Object.values(networkInterfaces()).flat()) {
      if (!each!.address.startsWith('fe80')) expect(verdicts(each!.address, 3000)).toBe(own);
    }
    // The addresses that stand for this host lead to it too, when they are not denied as such.
    const deny = ['own-listeners'];
    expect(verdicts('0.0.0.0', 5300, { deny })).toBe(own);
    expect(verdicts('::', 5300, { deny })).toBe(own);
    expect(verdicts('127.0.0.1', 5300, { allow: ['127.0.0.0/8'] })).toBe(own);
    expect(verdicts('127.0.0.1', 5300, { deny: [] })).toBe('private open');
  });

  it('is judged by each address that it may lead to', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const first = fc.constantFrom(0, 8, 10, 100, 127, 169, 172, 192, 198, 224, 240, 255);
    const ipv4 = fc.tuple(first, fc.oneof(byte, fc.constantFrom(64, 168, 254, 255)), byte, byte);
    const hex = (bytes: readonly number[]) =>
      bytes
        .map((byte) => byte.toString(16).padStart(2, '0'))
        .join('')
        .replace(/(....)(....)/, '$1:$2');
    fc.assert(
      fc.property(ipv4, (bytes) => {
        const plain = bytes.join('.');
        const inverted = bytes.map((each) => 255 - each);
        const alone = verdicts(plain);
        expect(verdicts(`::ffff:${plain}`)).toBe(alone);
        expect(verdicts(`0:0:0:0:0:FFFF:${hex(bytes)}`)).toBe(alone);
        expect(verdicts(`64:ff9b::${plain}`)).toBe(alone);
        expect(verdicts(`2002:${hex(bytes)}::1`)).toBe(alone);
        expect(verdicts(`::ffff:0:${plain}`)).toBe(alone);
        expect(verdicts(`2001:0:0808:0808:0:0:${hex(inverted)}`)).toBe(alone);
        expect(verdicts(`2001:db8::5efe:${plain}`)).toBe(alone);
        expect(verdicts(`2001:db8::200:5efe:${plain}`)).toBe(alone);
        if (!/^0\.0\.0\.[01]$/.test(plain)) expect(verdicts(`::${plain}`)).toBe(alone);
      }),
    );
  });

  it('may be narrowed and widened', () => {
    expect(verdicts('192.0.2.1', 53, { deny: ['192.0.2.0/24'] })).toBe('deny deny');
    expect(verdicts('2001:db8::1', 53, { deny: ['2001:db8::1'] })).toBe('deny deny');
    expect(verdicts('2001:db8::2', 53, { deny: ['2001:db8::1'] })).toBe('open open');
    expect(verdicts('10.1.2.3', 53, { allow: ['10.1.0.0/16'] })).toBe('open open');
    expect(verdicts('::ffff:10.1.2.3', 53, { allow: ['10.1.0.0/16'] })).toBe('open open');
    expect(verdicts('10.2.2.3', 53, { allow: ['10.1.0.0/16'] })).toBe('private open');
    expect(verdicts('169.254.1.1', 53, { allow: ['169.254.1.1'] })).toBe('open open');
    expect(verdicts('169.254.1.1', 53, { deny: [] })).toBe('open open');
  });

  it('is each address of a host, as it is when it is used', async () => {
    const found = [['192.0.2.1', '169.254.169.254', '127.0.0.1'], ['127.0.0.1']];
    const outbound = openOutbound(async () => found.shift()!, { deny: denyWords });
    const ways = await outbound.destinationsTo('mixed.test:53', 'public');
    expect(ways.map((way) => (isOpen(way) ? way.address : way.problem))).toEqual([
      '192.0.2.1',
      expect.stringContaining('169.254.169.254:53 is not contacted'),
      expect.stringContaining('127.0.0.1:53 is a private address'),
    ]);
    // The names of one address were looked up once: what was judged is the address, and no name is left to look up.
    expect(ways.filter(isOpen).every(({ address }) => isPrefix(address))).toBe(true);
  });

  it('is nothing else than a destination', () => {
    const forged = { address: '127.0.0.1', port: 53 } as unknown as Destination;
    const events = { ready: () => {}, message: () => {}, unreadable: () => {}, failed: () => {} };
    expect(() => datagramsTo(forged, events)).toThrow(/judged/);
    expect(() => datagramsTo(Object.create(Destination.prototype), events)).toThrow(/judged/);
  });
});

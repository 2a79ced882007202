import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import {
  canonicalAddress,
  isLoopback,
  joinHostAndPort,
  networkOf,
  reachableAddress,
  splitHostAndPort,
} from './address.ts';

describe('addresses of servers', () => {
  it.each([
    ['ns2.example.net:5300', 'ns2.example.net', 5300],
    ['ns2.example.net', 'ns2.example.net', 53],
    ['192.0.2.1:53', '192.0.2.1', 53],
    ['192.0.2.1', '192.0.2.1', 53],
    ['[2001:db8::1]:5353', '2001:db8::1', 5353],
    ['[2001:db8::1]', '2001:db8::1', 53],
    ['2001:db8::1', '2001:db8::1', 53],
  ])('%s is host %s, port %d', (text, host, port) => {
    expect(splitHostAndPort(text)).toEqual({ host, port });
  });

  it('are shown with brackets around IPv6', () => {
    expect(joinHostAndPort('2001:db8::1', 53)).toBe('[2001:db8::1]:53');
    expect(joinHostAndPort('192.0.2.1', 53)).toBe('192.0.2.1:53');
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:C000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:0:192.0.2.1', '::ffff:0:c000:201'],
    ['not an address', 'not an address'],
  ])('%s is spelled %s', (given, spelled) => {
    expect(canonicalAddress(given)).toBe(spelled);
  });

  it('of loopback are known', () => {
    expect(['127.0.0.1', '127.255.0.1', '::1'].every(isLoopback)).toBe(true);
    expect(['128.0.0.1', '::', '::2', '127.example'].some(isLoopback)).toBe(false);
  });
});

describe('a listener of this host', () => {
  const loopback = (...addresses: string[]) => ({
    lo: addresses.map((address) => ({ address }) as NetworkInterfaceInfo),
    eth0: undefined,
  });
  const both = loopback('127.0.0.1', '::1');
  const withoutIpv6 = loopback('127.0.0.1');

  it.each([
    ['0.0.0.0', both, '127.0.0.1'],
    ['::ffff:0.0.0.0', both, '127.0.0.1'],
    ['::', both, '::1'],
    ['0:0:0:0:0:0:0:0', both, '::1'],
    ['::', withoutIpv6, '127.0.0.1'],
    ['::0', withoutIpv6, '127.0.0.1'],
    ['::', {}, '127.0.0.1'],
    ['::1', withoutIpv6, '::1'],
    ['192.0.2.1', both, '192.0.2.1'],
    ['fe80::1%eth0', both, 'fe80::1%eth0'],
  ])('on %s with %j is asked at %s', (listens, interfaces, asked) => {
    expect(reachableAddress(listens, () => interfaces)).toBe(asked);
  });
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:0:42:1:2:3:4', '2001:db8:0:42::/64'],
  ['2001:db8:0:42::9', '2001:db8:0:42::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['::1', '::/64'],
  ['', ''],
])('counts %s as %s', (address, network) => expect(networkOf(address)).toBe(network));

import { describe, expect, it } from 'vitest';
import type { Secondary } from '../domain/secondary.ts';
import { canonicalAddress } from '../outbound/address.ts';
import { createResolver } from '../outbound/resolver.ts';
import { createTransferAcl } from './transfer-acl.ts';

let id = 0;
function secondary(address: string, enabled = true): Secondary {
  id++;
  return { id, name: `ns${id}`, address, enabled, notifyKeyName: null, createdAt: 0 };
}

function aclOf(list: Secondary[], hosts: Record<string, string[]> = {}) {
  const asked: string[] = [];
  const clock = { ms: 0 };
  const slow = Promise.withResolvers<never>();
  const resolver = createResolver({
    now: () => clock.ms,
    lookup: async (host) => {
      asked.push(host);
      if (host.startsWith('slow')) return slow.promise;
      const addresses = hosts[host];
      if (addresses === undefined) throw new Error('ENOTFOUND');
      return addresses;
    },
  });
  const acl = createTransferAcl({ enabled: () => list.filter((one) => one.enabled) }, resolver);
  const allows = async (address: string) => acl.allows(canonicalAddress(address));
  return { allows, asked, clock, slow };
}

describe('the transfer acl (decisions 8)', () => {
  it('knows a secondary by its address, whatever the port', async () => {
    const { allows } = aclOf([secondary('192.0.2.53:5353'), secondary('[2001:db8::1]:53')]);
    expect(await allows('192.0.2.53')).toBe(true);
    expect(await allows('2001:DB8:0::1')).toBe(true);
    expect(await allows('192.0.2.54')).toBe(false);
  });

  it('takes an IPv4-mapped address as IPv4, and drops a scope', async () => {
    const { allows } = aclOf([secondary('192.0.2.53:53'), secondary('[fe80::1]:53')]);
    expect(await allows('::ffff:192.0.2.53')).toBe(true);
    expect(await allows('::ffff:c000:235')).toBe(true);
    expect(await allows('fe80::1%eth0')).toBe(true);
  });

  it('lets nobody in through a disabled secondary, from the next request on (case 41)', async () => {
    const list = [secondary('192.0.2.53:53')];
    const { allows } = aclOf(list);
    expect(await allows('192.0.2.53')).toBe(true);
    list[0] = { ...list[0]!, enabled: false };
    expect(await allows('192.0.2.53')).toBe(false);
    list.length = 0;
    expect(await allows('192.0.2.53')).toBe(false);
  });

  it('resolves host names and keeps them for a minute', async () => {
    const hosts = { 'ns2.example.net': ['192.0.2.7', '2001:db8::7'] };
    const { allows, asked, clock } = aclOf([secondary('ns2.example.net:53')], hosts);
    expect(await allows('192.0.2.7')).toBe(true);
    expect(await allows('2001:db8::7')).toBe(true);
    expect(asked).toEqual(['ns2.example.net']);
    clock.ms += 59_999;
    hosts['ns2.example.net'] = ['192.0.2.8'];
    expect(await allows('192.0.2.8')).toBe(false);
    clock.ms += 1;
    expect(await allows('192.0.2.8')).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it('asks once for many requests at a time, and again soon after a failure', async () => {
    const hosts: Record<string, string[]> = {};
    const { allows, asked, clock } = aclOf([secondary('gone.example.net:53')], hosts);
    const answers = await Promise.all([allows('192.0.2.7'), allows('192.0.2.7')]);
    expect(answers).toEqual([false, false]);
    expect(asked).toHaveLength(1);
    expect(await allows('192.0.2.7')).toBe(false);
    expect(asked).toHaveLength(1);
    clock.ms += 5_000;
    hosts['gone.example.net'] = ['192.0.2.7'];
    expect(await allows('192.0.2.7')).toBe(true);
  });

  it('does not wait for a slow look-up when another name has the address', async () => {
    const hosts = { 'ns2.example.net': ['192.0.2.7'] };
    const list = ['slow.example.net:53', 'ns2.example.net:53', 'gone.example.net:53'];
    const { allows, slow } = aclOf(
      list.map((address) => secondary(address)),
      hosts,
    );
    const answers: unknown[] = [];
    void allows('192.0.2.7').then((answer) => answers.push(answer));
    const denied = allows('192.0.2.8').then((answer) => answers.push(answer));
    await new Promise(setImmediate);
    expect(answers).toEqual([true]);
    slow.reject(new Error('ETIMEOUT'));
    await denied;
    expect(answers).toEqual([true, false]);
  });

  it('is not kept shut by another secondary whose name does not resolve', async () => {
    const list = [secondary('gone.example.net:53'), secondary('192.0.2.9:53')];
    const { allows } = aclOf(list);
    expect(await allows('192.0.2.9')).toBe(true);
  });
});

/** Signing a zone, its settings, and stopping to sign it (interface 3, 4.7 and 7.4). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dnspython } from '../support/dnspython.ts';
import { InProcessService } from '../support/in-process.ts';
import { needsPeers } from '../support/peers.ts';
import { SignedZoneDesk, serves } from '../support/signing.ts';

let service: InProcessService;
beforeAll(async () => {
  service = new InProcessService();
  const policy = (body: object) => service.call('POST', '/dnssec-policies', body, 201);
  await policy({ name: 'split', split_keys: true });
  await policy({ name: 'nsec', denial: 'nsec' });
  await policy({ name: 'ed', algorithm: 'ed25519' });
  await policy({ name: 'long', signature_validity_days: 30, signature_refresh_days: 10 });
});
afterAll(async () => {
  // All of it is journalled: replay gives the same.
  expect(await service.verify()).toEqual([]);
  await service.close();
});

const parents = ['192.0.2.1', '[2001:db8::1]:5353'];
const unsignedDesk = async (name: string) => {
  await service.createZone(name);
  return new SignedZoneDesk(service, name);
};

describe('an unsigned zone', () => {
  it('has a status without policy, keys and DS', async () => {
    const desk = await unsignedDesk('plain.example');
    expect(await desk.status()).toEqual({
      zone_name: 'plain.example',
      enabled: false,
      policy: null,
      keys: [],
      ds_records: [],
      delegation: null,
      signatures: 0,
      expired_signatures: 0,
      future_signatures: 0,
      earliest_signature_expires_at: null,
      expirations: [],
      next_resign_at: null,
      serial: 1,
      withdrawing: false,
      parent_ns_addrs: [],
      next_steps: [],
      foreign_ds_since: null,
      to_do: null,
      warnings: [],
    });
  });

  it('decisions 4: refuses everything but status, enable and parent_ns_addrs alone', async () => {
    const desk = await unsignedDesk('refusing.example');
    const body = { parent_ns_addrs: parents, policy_name: 'default' };
    await desk.refused('PUT', '', body, 'DNSSEC_NOT_ENABLED', "'refusing.example' is not signed");
    await desk.refused('PUT', '', { policy_name: 'nsec' }, 'DNSSEC_NOT_ENABLED');
    for (const action of [
      '/check-ds',
      '/rollover',
      '/rollover/promote',
      '/rollover/ds-seen',
      '/sign',
      '/withdraw',
    ]) {
      await desk.refused('POST', action, undefined, 'DNSSEC_NOT_ENABLED');
    }
    await desk.refused('DELETE', '/withdraw', undefined, 'DNSSEC_NOT_ENABLED');
    await desk.refused('DELETE', '', undefined, 'DNSSEC_NOT_ENABLED');
    await desk.refused('DELETE', '?skip_ds_check=true', undefined, 'DNSSEC_NOT_ENABLED');
    await desk.refused('PUT', '', {}, 'INVALID_INPUT', 'nothing to change');
    await desk.refused('PUT', '', { parent_ns_addrs: [] }, 'INVALID_INPUT', 'parent_ns_addrs');
    const known = await service.call('PUT', desk.path, { parent_ns_addrs: parents }, 200);
    expect(known).toMatchObject({
      enabled: false,
      serial: 1,
      parent_ns_addrs: ['192.0.2.1:53', '[2001:db8::1]:5353'],
    });
  });

  it('refuses to be signed without parents, with bad ones, or under no policy', async () => {
    const desk = await unsignedDesk('bad.example');
    const refused = (body: object, code: string, says: string) =>
      desk.refused('POST', '', body, code, says);
    await refused({}, 'INVALID_JSON_BODY', 'parent_ns_addrs');
    await refused({ parent_ns_addrs: [] }, 'INVALID_INPUT', 'parent_ns_addrs');
    await refused({ parent_ns_addrs: ['192.0.2.1:0'] }, 'INVALID_INPUT', 'parent_ns_addrs');
    const body = { parent_ns_addrs: parents, policy_name: 'none' };
    await refused(body, 'DNSSEC_POLICY_NOT_FOUND', "'none'");
    expect((await desk.status()).serial).toBe(1);
  });
});

describe('enable', () => {
  it('makes one active CSK, signs everything in one step and answers the DS', async () => {
    const desk = await unsignedDesk('signed.example');
    const before = service.events();
    const status = await service.call('POST', desk.path, { parent_ns_addrs: parents }, 201);
    expect(service.events()).toBe(before + 1);
    const [key] = status.keys;
    expect(status).toMatchObject({
      enabled: true,
      serial: 2,
      policy: { name: 'default', id: 1 },
      keys: [
        {
          id: expect.any(Number),
          algorithm: 'ecdsap256sha256',
          role: 'csk',
          state: 'active',
          dnskey: expect.stringMatching(/^257 3 13 [A-Za-z0-9+/=]{88}$/),
          eligible_at: null,
        },
      ],
      ds_records: [{ key_tag: key.key_tag, algorithm: 13, digest_type: 2 }],
      delegation: null,
      expired_signatures: 0,
      future_signatures: 0,
      withdrawing: false,
      parent_ns_addrs: ['192.0.2.1:53', '[2001:db8::1]:5353'],
      next_steps: [{ action: 'publish_cds', key_tags: [key.key_tag], blocked_by: null }],
      warnings: [],
    });
    expect(status.keys).toHaveLength(1);
    // SOA, NS, DNSKEY, NSEC3PARAM at the apex, and its NSEC3.
    expect(status.signatures).toBe(5);
    expect(status).toEqual(await desk.status());
    const days = (text: string) => (Date.parse(text) - service.now()) / 86_400_000;
    expect(days(status.earliest_signature_expires_at)).toBeGreaterThan(14 - 4.6);
    expect(days(status.earliest_signature_expires_at)).toBeLessThanOrEqual(14);
    const counted = status.expirations.map(({ signatures }: { signatures: number }) => signatures);
    expect(counted.reduce((sum: number, count: number) => sum + count)).toBe(5);
    expect(status.earliest_signature_expires_at).toContain(status.expirations[0].date);
    const between =
      Date.parse(status.earliest_signature_expires_at) - Date.parse(status.next_resign_at);
    expect(between).toBe(5 * 86_400_000);
    expect(await desk.derived('NSEC3PARAM')).toEqual(['signed.example. 1 0 0 -']);
  });

  it('makes a KSK and a ZSK under a split policy; the DS names the KSK', async () => {
    const desk = await SignedZoneDesk.signed(service, 'split.example', 'SPLIT');
    const { keys, ds_records, policy } = await desk.status();
    expect(policy.name).toBe('split');
    expect(keys).toMatchObject([
      { role: 'ksk', state: 'active', dnskey: expect.stringMatching(/^257 /) },
      { role: 'zsk', state: 'active', dnskey: expect.stringMatching(/^256 /) },
    ]);
    expect(ds_records).toMatchObject([{ key_tag: keys[0].key_tag }]);
  });

  it('is refused twice', async () => {
    const desk = await SignedZoneDesk.signed(service, 'twice.example');
    const body = { parent_ns_addrs: parents };
    await desk.refused('POST', '', body, 'DNSSEC_ALREADY_ENABLED', "'twice.example'");
    const { zone } = await service.call('GET', '/zones/twice.example');
    expect(zone.serial).toBe(2);
  });

  it('is seen in the list of zones, and keeps the zone from being renamed', async () => {
    await SignedZoneDesk.signed(service, 'listed.example');
    const { items } = await service.call('GET', '/zones?signed=true&name=listed.example');
    expect(items).toHaveLength(1);
    const body = { name: 'renamed.example' };
    await service.refused('PUT', '/zones/listed.example', body, 'ZONE_CONFLICT');
  });

  it('keeps its policy from being deleted (interface 4.7)', async () => {
    await service.call('POST', '/dnssec-policies', { name: 'used' }, 201);
    const desk = await SignedZoneDesk.signed(service, 'user.example', 'used');
    const path = '/dnssec-policies/used';
    await service.refused('DELETE', path, undefined, 'DNSSEC_POLICY_IN_USE', "'user.example'");
    await service.call('DELETE', `${desk.path}?skip_ds_check=true`);
    await service.call('DELETE', path);
  });

  it('keeps also the policy that it is moved from, while the move can be aborted', async () => {
    await service.call('POST', '/dnssec-policies', { name: 'former' }, 201);
    const desk = await SignedZoneDesk.signed(service, 'mover.example', 'former');
    desk.say(serves([]));
    await service.call('PUT', desk.path, { policy_name: 'ed' });
    const path = '/dnssec-policies/former';
    const says = "signs 'mover.example' again if the move to another one is aborted";
    await service.refused('DELETE', path, undefined, 'DNSSEC_POLICY_IN_USE', says);
    // So does a zone that is deleted in the middle of it.
    await service.call('DELETE', '/zones/mover.example');
    await service.refused('DELETE', path, undefined, 'DNSSEC_POLICY_IN_USE', says);
    await service.call('POST', '/zones/mover.example/restore');
    await desk.post('/rollover/abort', { skip_ds_check: true });
    expect(await desk.status()).toMatchObject({ policy: { name: 'former' } });
    await service.call('PUT', desk.path, { policy_name: 'ed' });
    await desk.post('/rollover/promote', { skip_holddown: true, skip_ds_check: true });
    await service.call('DELETE', path);
  });

  it('keeps it also while it is deleted and could come back, and comes back under it', async () => {
    const policy = { name: 'returning', denial: 'nsec' };
    await service.call('POST', '/dnssec-policies', policy, 201);
    const desk = await SignedZoneDesk.signed(service, 'returned.example', 'returning');
    const path = '/dnssec-policies/returning';
    await service.call('DELETE', '/zones/returned.example');
    const says = "would sign 'returned.example' if restored";
    await service.refused('DELETE', path, undefined, 'DNSSEC_POLICY_IN_USE', says);
    await service.call('POST', '/zones/returned.example/restore');
    expect(await desk.status()).toMatchObject({ enabled: true, policy });
    expect((await desk.derived('NSEC')).length).toBeGreaterThan(0);
    await service.call('DELETE', '/zones/returned.example');
    await service.call('POST', '/zones/returned.example/purge');
    await service.call('DELETE', path);
  });
});

needsPeers('dnspython')('the DS records of the answer', () => {
  it('are those that dnspython makes of the DNSKEY', async () => {
    for (const policy of ['default', 'split', 'ed']) {
      const desk = await SignedZoneDesk.signed(service, `ds-${policy}.example`, policy);
      const { keys, ds_records } = await desk.status();
      const sep = keys.filter(({ role }: { role: string }) => role !== 'zsk');
      expect(ds_records).toHaveLength(sep.length);
      const program = `
import dns.dnssec, dns.rdata
key = dns.rdata.from_text('IN', 'DNSKEY', given['dnskey'])
result = dns.dnssec.make_ds(given['name'], key, 'SHA256').to_text().lower()`;
      const made = await dnspython<string>(0, program, {
        name: `${desk.name}.`,
        dnskey: sep[0].dnskey,
      });
      expect(ds_records[0].presentation.toLowerCase()).toBe(made);
    }
  });
});

describe('settings', () => {
  it('replace the parents without a step', async () => {
    const desk = await SignedZoneDesk.signed(service, 'parents.example');
    const { serial } = await desk.status();
    const moved = await service.call('PUT', desk.path, {
      parent_ns_addrs: ['NS.Example'],
    });
    expect(moved).toMatchObject({ serial, parent_ns_addrs: ['ns.example:53'] });
    await desk.refused('PUT', '', {}, 'INVALID_INPUT', 'nothing to change');
    const before = service.events();
    await service.call('PUT', desk.path, { parent_ns_addrs: ['ns.example:53'] });
    expect(service.events()).toBe(before);
  });

  it('move to a policy of another denial: the chain is replaced under one serial', async () => {
    const desk = await SignedZoneDesk.signed(service, 'denial.example');
    expect(await desk.derived('NSEC3')).toHaveLength(1);
    const moved = await service.call('PUT', desk.path, { policy_name: 'nsec' });
    expect(moved).toMatchObject({ serial: 3, policy: { name: 'nsec', denial: 'nsec' } });
    expect(await desk.derived('NSEC3')).toEqual([]);
    expect(await desk.derived('NSEC3PARAM')).toEqual([]);
    expect(await desk.derived('NSEC')).toHaveLength(1);
  });

  it('move to a policy of other days without a step', async () => {
    const desk = await SignedZoneDesk.signed(service, 'days.example');
    const moved = await service.call('PUT', desk.path, { policy_name: 'long' });
    expect(moved).toMatchObject({ policy: { name: 'long' } });
    expect(moved.keys).toHaveLength(1);
  });

  it('refuse another key layout and an unknown policy', async () => {
    const desk = await SignedZoneDesk.signed(service, 'layout.example');
    const layout = { policy_name: 'split' };
    await desk.refused('PUT', '', layout, 'INVALID_INPUT', 'key layout');
    await desk.refused('PUT', '', { policy_name: 'no' }, 'DNSSEC_POLICY_NOT_FOUND', "'no'");
  });

  it('move to another algorithm by a roll, and refuse a second one meanwhile', async () => {
    const desk = await SignedZoneDesk.signed(service, 'algorithm.example');
    desk.say(serves([]));
    const moved = await service.call('PUT', desk.path, { policy_name: 'ed' });
    expect(moved.keys).toMatchObject([
      { algorithm: 'ecdsap256sha256', state: 'active' },
      { algorithm: 'ed25519', state: 'published', eligible_at: expect.any(String) },
    ]);
    // The DS of the new algorithm comes when all caches have its signatures.
    expect(moved.ds_records).toHaveLength(1);
    expect(moved.signatures).toBe(2 * 5);
    const back = { policy_name: 'default' };
    await desk.refused('PUT', '', back, 'DNSSEC_ROLLOVER_IN_PROGRESS', 'published');
    await desk.refused('POST', '/rollover', undefined, 'DNSSEC_ROLLOVER_IN_PROGRESS');
    service.pass(Date.parse(moved.keys[1].eligible_at) - service.now() + 1000);
    expect((await desk.status()).ds_records).toHaveLength(2);
  });
});

describe('disable', () => {
  it('is refused while a parent serves a DS, or can not be asked', async () => {
    const desk = await SignedZoneDesk.signed(service, 'held.example');
    const { ds_records } = await desk.status();
    desk.say(serves([], 0, 'a:53'), serves(ds_records, 60, 'b:53'));
    await desk.refused('DELETE', '', undefined, 'DNSSEC_DS_PUBLISHED', 'b:53');
    desk.say(serves([], 0, 'a:53'), { address: 'b:53', failure: 'no answer' });
    await desk.refused('DELETE', '', undefined, 'DNSSEC_DS_UNVERIFIED', 'b:53');
    desk.say({ address: 'a:53', failure: 'no answer' }, serves(ds_records, 60, 'b:53'));
    await desk.refused('DELETE', '', undefined, 'DNSSEC_DS_PUBLISHED', 'b:53');
    expect(await desk.status()).toMatchObject({ enabled: true, serial: 2 });
  });

  it('deletes keys and derived records in one step, and says when a DS may be cached', async () => {
    const desk = await SignedZoneDesk.signed(service, 'leaving.example');
    const { ds_records } = await desk.status();
    desk.say(serves(ds_records, 7200));
    await desk.post('/check-ds');
    desk.say(serves([]));
    const { message } = await service.call('DELETE', desk.path, undefined, 200);
    expect(message).toMatch(/^zone 'leaving\.example' is not signed any more; .* DS until 20/);
    const status = await desk.status();
    expect(status).toMatchObject({
      enabled: false,
      policy: null,
      keys: [],
      ds_records: [],
      signatures: 0,
      serial: 3,
      parent_ns_addrs: ['192.0.2.1:53'],
    });
    expect(status.warnings).toHaveLength(1);
    service.pass(7_201_000);
    expect((await desk.status()).warnings).toEqual([]);
    const path = '/records?zone_name=leaving.example&signed=true';
    expect((await service.call('GET', path)).items).toHaveLength(1);
    await service.call('POST', desk.path, { parent_ns_addrs: parents }, 201);
    expect((await desk.status()).keys).toHaveLength(1);
  });

  it.each([
    ['the query', '?skip_ds_check=true', undefined],
    ['the body', '', { skip_ds_check: true }],
  ])('asks nobody when %s says so', async (where, query, body) => {
    const desk = await SignedZoneDesk.signed(service, `by-${where.slice(4)}.example`);
    service.parents = () => {
      throw new Error('a parent is asked');
    };
    await service.call('DELETE', `${desk.path}${query}`, body, 200);
    expect((await desk.status()).enabled).toBe(false);
  });
});

/**
 * RFC 2136 3.1 and 3.3, interface 5.8 and 5.9: whose updates are refused, and for which zones, as
 * nsupdate and knsupdate see it. Whatever is refused leaves the zone as it was.
 *
 * Section 6 (forwarding) has no test: a primary forwards nothing. Of 3.4.2.2, WKS is no type that we
 * know; its records are like those of any unknown type.
 */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { needsPeers } from '../support/peers.ts';
import type { PeerKey } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';
import {
  makeUpdateKey,
  makeZoneOf,
  recordsOf,
  sendUpdate,
  serialOf,
  updaters,
} from '../support/updaters.ts';

const zone = 'example.com';
const add = `update add new.${zone} 60 A 192.0.2.1`;

for (const updater of updaters) {
  needsPeers(updater)(`refusals, seen by ${updater}`, () => {
    let service: RunningService;
    let full: PeerKey;
    let records: string[];
    let serial: number;

    beforeAll(async () => {
      service = await startService();
      await makeZoneOf(service, zone, 'www 300 A 192.0.2.1', 'alias 300 CNAME a.example.org.');
      await makeZoneOf(service, 'sub.example.com');
      await makeZoneOf(service, 'off.example');
      await service.must('PUT', '/zones/off.example', { enabled: false });
      full = await makeUpdateKey(service, 'full.example.com', zone);
      records = await recordsOf(service, zone);
      serial = await serialOf(service, zone);
    });
    afterEach(async () => {
      expect(await recordsOf(service, zone)).toEqual(records);
      expect(await serialOf(service, zone)).toBe(serial);
    });
    afterAll(async () => {
      await service[Symbol.asyncDispose]();
    });

    const send = (key: PeerKey | undefined, ...commands: string[]) =>
      sendUpdate(updater, { port: service.dnsPort, zone, key }, ...commands);

    it('5.9: unsigned, while signing is required', async () => {
      expect(await send(undefined, add)).toBe('REFUSED');
      expect(await send(undefined, `prereq yxdomain gone.${zone}`, add)).toBe('REFUSED');
    });

    it('a signature that does not hold: NOTAUTH', async () => {
      // Both clients tell of the TSIG error before they tell the RCODE.
      const wrong = { ...full, secret: Buffer.alloc(32).toString('base64') };
      expect(await send(wrong, add)).toMatch(/NOTAUTH|BADSIG/);
      expect(await send({ ...full, name: 'nobody' }, add)).toMatch(/NOTAUTH|BADKEY/);
    });

    it('3.1, case 1: a zone that is not stored, not enabled, or only encloses: NOTAUTH', async () => {
      for (const name of [
        'example.org',
        'off.example',
        'www.example.com',
        'com',
        'catalog.invalid',
      ]) {
        const target = { port: service.dnsPort, zone: name, key: full };
        expect(await sendUpdate(updater, target, `update delete x.${name}`), name).toBe('NOTAUTH');
      }
    });

    it('3.1: a zone that no grant of the key reaches: REFUSED', async () => {
      const target = { port: service.dnsPort, zone: 'sub.example.com', key: full };
      expect(await sendUpdate(updater, target, 'update delete x.sub.example.com')).toBe('REFUSED');
    });

    it('3.2.1.2, 3.4.1.2, cases 2 and 8: owners outside the zone: NOTZONE', async () => {
      expect(await send(full, add, 'update add www.example.org 60 A 192.0.2.1')).toBe('NOTZONE');
      expect(await send(full, add, 'update delete example.org')).toBe('NOTZONE');
      expect(await send(full, 'prereq yxdomain www.example.org', add)).toBe('NOTZONE');
    });

    it('case 20: prerequisites need record:read', async () => {
      const grants = [{ actions: ['record:create', 'record:delete'] }];
      const writer = await makeUpdateKey(service, 'writer', zone, grants);
      for (const form of ['yxdomain', 'nxdomain', 'yxrrset', 'nxrrset']) {
        const type = form.endsWith('rrset') ? ' A' : '';
        expect(await send(writer, `prereq ${form} www.${zone}${type}`)).toBe('REFUSED');
      }
      expect(await send(writer, `prereq yxrrset www.${zone} A 192.0.2.1`)).toBe('REFUSED');
      expect(await send(full, `prereq yxrrset www.${zone} A 192.0.2.1`)).toBe('NOERROR');
    });

    it('case 20: additions need record:create, deletions record:delete', async () => {
      const creates = [{ actions: ['record:create', 'record:read'] }];
      const creator = await makeUpdateKey(service, 'creator', zone, creates);
      expect(await send(creator, add, `update delete www.${zone}`)).toBe('REFUSED');
      expect(await send(creator, add, `update delete www.${zone} A`)).toBe('REFUSED');
      expect(await send(creator, add, `update delete www.${zone} A 192.0.2.1`)).toBe('REFUSED');
      expect(await send(creator, `update delete gone.${zone}`)).toBe('REFUSED');
      const replacing = `update add alias.${zone} 60 CNAME b.example.org.`;
      expect(await send(creator, replacing)).toBe('REFUSED');
      const deletes = [{ actions: ['record:delete', 'record:read'] }];
      const deleter = await makeUpdateKey(service, 'deleter', zone, deletes);
      expect(await send(deleter, add)).toBe('REFUSED');
      expect(await send(deleter, `update delete gone.${zone}`)).toBe('NOERROR');
    });

    it('case 20: one record outside names or types refuses all; the log says which', async () => {
      const grants = [
        {
          actions: ['record:create', 'record:delete'],
          record_name_pattern: '*.dyn',
          record_types: 'A,AAAA',
        },
      ];
      const narrow = await makeUpdateKey(service, 'narrow', zone, grants);
      const inside = `update add a.dyn.${zone} 60 A 192.0.2.1`;
      expect(await send(narrow, inside, add)).toBe('REFUSED');
      expect(await send(narrow, inside, `update add a.dyn.${zone} 60 TXT x`)).toBe('REFUSED');
      expect(await send(narrow, inside, `update delete a.dyn.${zone}`)).toBe('REFUSED');
      expect(await send(narrow, inside, `update delete www.${zone} A`)).toBe('REFUSED');
      const soa = `update add ${zone} 60 SOA a.example. b.example. 99 1 1 1 1`;
      expect(await send(narrow, inside, soa)).toBe('REFUSED');
      const refused = () =>
        service.output.split('\n').find((text) => /dns.update-refused.*TXT/.test(text));
      await expect.poll(refused).toBeDefined();
      const line = refused();
      for (const word of [`zone=${zone}`, 'key=narrow', 'record:create', `a.dyn.${zone}. TXT`]) {
        expect(line).toContain(word);
      }
      expect(await send(narrow, inside, `update delete a.dyn.${zone} A`)).toBe('NOERROR');
    });

    it('a name that begins with other labels than its grant', async () => {
      const grants = [
        { actions: ['record:delete'], record_name_pattern: '_acme.**', record_types: 'A' },
      ];
      const acme = await makeUpdateKey(service, 'acme', zone, grants);
      const deleting = (owner: string) => send(acme, `update delete ${owner}${zone} A`);
      for (const owner of ['_acme.', '_acme.www.', '_acme.a.b.']) {
        expect(await deleting(owner)).toBe('NOERROR');
      }
      for (const owner of ['', 'www.', 'a._acme.', 'x_acme.www.']) {
        expect(await deleting(owner)).toBe('REFUSED');
      }
    });

    it('a role without grants, a grant that is taken back, a key that is deleted', async () => {
      const none = await makeUpdateKey(service, 'none', zone, []);
      expect(await send(none)).toBe('REFUSED');
      const brief = await makeUpdateKey(service, 'brief', zone);
      const nothing = `update delete gone.${zone}`;
      expect(await send(brief, nothing)).toBe('NOERROR');
      const { items } = await service.must('GET', '/roles/role-of-brief/grants');
      await service.must('DELETE', `/roles/role-of-brief/grants/${items[0].id}`);
      expect(await send(brief, nothing)).toBe('REFUSED');
      await service.must('DELETE', '/tsig-keys/brief');
      expect(await send(brief, nothing)).toMatch(/NOTAUTH|BADKEY/);
    });

    it('case 100: an SOA is an edit of the zone, in its ranges', async () => {
      const creator = await makeUpdateKey(service, 'soa-creator', zone, [
        { actions: ['record:read', 'record:create', 'record:delete'] },
      ]);
      const soa = (serial: number) =>
        `update add ${zone} 60 SOA a.example. b.example. ${serial} 9 9 9 9`;
      expect(await send(creator, soa(99))).toBe('REFUSED');
      for (const serial of [2_137_483_648, 2_147_483_647]) {
        expect(await send(creator, soa(serial))).toBe('REFUSED');
        expect(await send(full, soa(serial))).toBe('REFUSED');
      }
    });

    it('a state the zone can not be in', async () => {
      for (const record of [`*.x.${zone} 60 NS ns.example.org.`, `x.${zone} 60 TYPE65535 \\# 0`]) {
        expect(await send(full, add, `update add ${record}`), record).toBe('REFUSED');
      }
      const mail = [`update add m.${zone} 60 MX 0 .`, `update add m.${zone} 60 MX 10 mx.example.`];
      expect(await send(full, add, ...mail)).toBe('REFUSED');
      const soa = `update add ${zone} 60 SOA a.example. b.example. 99 0 1 1 1`;
      expect(await send(full, add, soa)).toBe('REFUSED');
    });

    it('are counted', async () => {
      const counts = async () => {
        const { body } = await service.call('GET', '/metrics');
        return ['ok', 'refused', 'notauth', 'malformed'].map((result) =>
          Number(new RegExp(`nsupdate_requests_total{result="${result}"} (\\d+)`).exec(body)?.[1]),
        );
      };
      const before = await counts();
      expect(await send(full, `update delete gone.${zone}`)).toBe('NOERROR');
      expect(await send(undefined, add)).toBe('REFUSED');
      const elsewhere = { port: service.dnsPort, zone: 'off.example', key: full };
      expect(await sendUpdate(updater, elsewhere, 'update delete x.off.example')).toBe('NOTAUTH');
      expect(await send(full, 'update delete example.org')).toBe('NOTZONE');
      for (const [at, count] of (await counts()).entries()) {
        expect(count).toBeGreaterThan(before[at]!);
      }
    });
  });
}

needsPeers('nsupdate')('updates without signature, where they are let in', () => {
  it('5.9: may do everything; signed ones are verified all the same', async () => {
    await using service = await startService({ ZONEBOOK_DNS_NSUPDATE_TSIG_REQUIRED: 'false' });
    await makeZoneOf(service, zone);
    const none = await makeUpdateKey(service, 'none', zone, []);
    const target = { port: service.dnsPort, zone };
    expect(await sendUpdate('nsupdate', target, `prereq nxdomain new.${zone}`, add)).toBe(
      'NOERROR',
    );
    expect(await recordsOf(service, zone)).toContain('new 60 A 192.0.2.1');
    const { items } = await service.must('GET', `/zones/${zone}/versions`);
    expect(items[0]).toMatchObject({ change_source: 'nsupdate', changed_by: null });
    expect(await sendUpdate('nsupdate', { ...target, key: none }, add)).toBe('REFUSED');
    const wrong = { ...none, secret: Buffer.alloc(32).toString('base64') };
    expect(await sendUpdate('nsupdate', { ...target, key: wrong }, add)).toMatch(/NOTAUTH|BADSIG/);
  });
});

/**
 * RFC 2136 2.5 and 3.4: what updates do, as nsupdate and knsupdate send them, over UDP and TCP, with
 * every algorithm.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
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

const keyName = 'updater.example.com';

let service: RunningService;

for (const updater of updaters) {
  needsPeers(updater)(`updates by ${updater}`, () => {
    let zone: string;
    let key: PeerKey;
    let count = 0;

    beforeAll(async () => {
      service = await startService();
    });
    afterAll(async () => {
      await service[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      zone = `z${++count}.example`;
      await makeZoneOf(
        service,
        zone,
        '@ 3600 NS ns2.example.net.',
        '@ 300 TXT top',
        'www 300 A 192.0.2.1',
        'www 300 A 192.0.2.2',
        'www 300 TXT text',
        'alias 300 CNAME www.example.org.',
      );
      key = await makeUpdateKey(service, `${count}.${keyName}`, zone);
    });

    /** Sends `add NAME ...` and `delete NAME ...` with names relative to the zone; returns RCODE. */
    function send(commands: readonly string[], tcp = false): Promise<string> {
      const absolute = commands.map((line) => {
        const [verb, name, ...rest] = line.split(' ');
        const owner = name === '@' ? `${zone}.` : `${name}.${zone}.`;
        return ['update', verb, owner, ...rest].join(' ');
      });
      return sendUpdate(updater, { port: service.dnsPort, zone, key, tcp }, ...absolute);
    }

    /** The records at a name, oldest first, after an update that must be NOERROR. */
    async function after(name: string, ...commands: string[]): Promise<string[]> {
      expect(await send(commands)).toBe('NOERROR');
      const records = await recordsOf(service, zone);
      return records
        .filter((line) => line.startsWith(`${name} `))
        .map((line) => line.slice(name.length + 1));
    }

    it('2.5.1, 3.4.2.2: add to an RRset; cases 11 and 12: twice is once, the TTL moves', async () => {
      expect(await after('new', 'add new 60 A 192.0.2.9', 'add new 60 AAAA 2001:db8::9')).toEqual([
        '60 A 192.0.2.9',
        '60 AAAA 2001:db8::9',
      ]);
      const serial = await serialOf(service, zone);
      await after('new', 'add NEW 60 A 192.0.2.9');
      expect(await serialOf(service, zone)).toBe(serial);
      expect(await after('www', 'add www 900 A 192.0.2.2')).toEqual([
        '900 A 192.0.2.1',
        '900 A 192.0.2.2',
        '300 TXT text',
      ]);
    });

    it('2.5.2: delete an RRset; 2.5.3: all of a name; 2.5.4: one record; case 18: nothing', async () => {
      expect(await after('www', 'delete www A 192.0.2.1')).toEqual([
        '300 A 192.0.2.2',
        '300 TXT text',
      ]);
      expect(await after('www', 'delete www A')).toEqual(['300 TXT text']);
      expect(await after('www', 'delete www')).toEqual([]);
      const serial = await serialOf(service, zone);
      expect(await after('www', 'delete www', 'delete www A', 'delete www A 192.0.2.1')).toEqual(
        [],
      );
      expect(await serialOf(service, zone)).toBe(serial);
    });

    it('case 10: in order; case 22: one step for all', async () => {
      const serial = await serialOf(service, zone);
      expect(await after('www', 'delete www A', 'add www 60 A 192.0.2.3')).toEqual([
        '300 TXT text',
        '60 A 192.0.2.3',
      ]);
      expect(await after('www', 'add www 60 A 192.0.2.4', 'delete www A')).toEqual([
        '300 TXT text',
      ]);
      expect(await serialOf(service, zone)).toBe(serial + 2);
    });

    it('case 13: CNAME and data keep apart; CNAME replaces CNAME', async () => {
      expect(await after('alias', 'add alias 60 A 192.0.2.1')).toEqual([
        '300 CNAME www.example.org.',
      ]);
      expect(await after('www', 'add www 60 CNAME x.example.org.')).toHaveLength(3);
      expect(
        await after(
          'alias',
          'add alias 60 CNAME a.example.org.',
          'add alias 60 CNAME b.example.org.',
        ),
      ).toEqual(['60 CNAME b.example.org.']);
    });

    it('3.4.2.2: a WKS replaces the one of its address and protocol', async () => {
      // knsupdate knows the type by its number alone: 192.0.2.1 or 2, TCP or UDP, ports.
      const add = (data: string) => `add wks 60 TYPE11 \\# ${data}`;
      const before = await after('wks', add('6 C000020106 40'), add('6 C000020111 40'));
      expect(before).toEqual(['60 WKS 192.0.2.1 6 1', '60 WKS 192.0.2.1 17 1']);
      expect(await after('wks', add('6 C000020106 20'), add('6 C000020206 80'))).toEqual([
        '60 WKS 192.0.2.1 17 1',
        '60 WKS 192.0.2.1 6 2',
        '60 WKS 192.0.2.2 6 0',
      ]);
    });

    it('case 14: an SOA counts only when it is newer', async () => {
      const soa = (serial: number) =>
        `add @ 60 SOA ns9.example.org. who.example.org. ${serial} 1200 300 604800 600`;
      await after('@', soa(1));
      expect((await service.must('GET', `/zones/${zone}`)).zone).toMatchObject({
        serial: 2,
        refresh: 300,
      });
      await after('@', soa(100), 'add www 300 A 192.0.2.7');
      expect((await service.must('GET', `/zones/${zone}`)).zone).toMatchObject({
        serial: 100,
        mname: 'ns9.example.org',
        rname: 'who@example.org',
        refresh: 1200,
        minimum_ttl: 600,
        default_ttl: 3600,
      });
      await after('@', 'delete @ SOA');
      expect(await serialOf(service, zone)).toBe(100);
    });

    it('case 15: SOA and NS of the apex', async () => {
      const servers = ['3600 NS ns1.example.net.', '3600 NS ns2.example.net.'];
      expect(await after('@', 'delete @')).toEqual(servers);
      expect(await after('@', 'delete @ NS')).toEqual(servers);
      const both = ['delete @ NS ns1.example.net.', 'delete @ NS ns2.example.net.'];
      expect(await after('@', ...both)).toEqual(servers.slice(1));
      expect(await after('@', 'add @ 3600 NS ns3.example.net.', ...both)).toEqual([
        '3600 NS ns3.example.net.',
      ]);
      expect(await after('@', 'delete @ NS', 'add @ 3600 NS ns4.example.net.')).toEqual([
        '3600 NS ns3.example.net.',
        '3600 NS ns4.example.net.',
      ]);
    });

    it('case 17: a delegation above data comes and goes', async () => {
      await after('a.sub', 'add a.sub 60 A 192.0.2.1');
      await after('sub', `add sub 60 NS ns.sub.${zone}.`, 'add ns.sub 60 A 192.0.2.2');
      expect((await recordsOf(service, zone)).filter((line) => line.includes('sub'))).toEqual([
        `sub 60 NS ns.sub.${zone}.`,
        'a.sub 60 A 192.0.2.1',
        'ns.sub 60 A 192.0.2.2',
      ]);
      await after('sub', 'delete sub NS', 'delete ns.sub');
      expect((await recordsOf(service, zone)).filter((line) => line.includes('sub'))).toEqual([
        'a.sub 60 A 192.0.2.1',
      ]);
    });

    it('case 16: what is made by signing: REFUSED', async () => {
      const serial = await serialOf(service, zone);
      const digest = '0'.repeat(64);
      for (const record of [
        `@ 60 DNSKEY 257 3 13 ${Buffer.alloc(64, 1).toString('base64')}`,
        `@ 60 NSEC www.${zone}. A`,
        '@ 60 NSEC3PARAM 1 0 0 -',
        `@ 60 CDS 1 13 2 ${digest}`,
      ]) {
        expect(await send(['add other 60 A 192.0.2.1', `add ${record}`]), record).toBe('REFUSED');
      }
      expect(await send(['delete @ DNSKEY'])).toBe('REFUSED');
      expect(await serialOf(service, zone)).toBe(serial);
      expect((await recordsOf(service, zone)).join()).not.toContain('other');
    });

    it('case 103: the last NS of a delegation takes its DS along, and none stands elsewhere', async () => {
      const ds = `60 DS 1 13 2 ${'0'.repeat(64)}`;
      const serial = await serialOf(service, zone);
      for (const owner of ['@', 'www', 'gone']) {
        expect((await after(owner, `add ${owner} ${ds}`)).join()).not.toContain('DS');
      }
      expect(await serialOf(service, zone)).toBe(serial);
      const servers = ['60 NS ns1.example.org.', '60 NS ns2.example.org.'];
      const added = [ds, ...servers].map((line) => `add sub ${line}`);
      expect(await after('sub', ...added)).toHaveLength(3);
      expect(await after('sub', 'delete sub NS ns1.example.org.')).toHaveLength(2);
      expect(await after('sub', 'delete sub NS ns2.example.org.')).toEqual([]);
      await after('sub', ...added);
      expect(await after('sub', 'delete sub NS', `add sub ${servers[0]}`)).toHaveLength(2);
      expect(await after('sub', 'delete sub NS', 'add sub 60 TXT x')).toEqual(['60 TXT x']);
    });

    it('case 21: over TCP, and hundreds of records over UDP', async () => {
      expect(await send(['add tcp 60 A 192.0.2.1'], true)).toBe('NOERROR');
      const many = Array.from({ length: 800 }, (_, at) => `add m${at} 60 TXT "${'x'.repeat(40)}"`);
      const serial = await serialOf(service, zone);
      expect(await send(many, true)).toBe('NOERROR');
      expect(await serialOf(service, zone)).toBe(serial + 1);
      expect(await send(many.slice(0, 300).map((line) => line.replace('add m', 'add u')))).toBe(
        'NOERROR',
      );
      expect(
        (await service.must('GET', `/records?zone_name=${zone}&limit=1`)).pagination.total,
      ).toBe(7 + 1 + 800 + 300);
    });

    it('stands in the history with the key’s name', async () => {
      await after('new', 'add new 60 A 192.0.2.9');
      const { items } = await service.must('GET', `/zones/${zone}/versions`);
      expect(items[0]).toMatchObject({
        change_source: 'nsupdate',
        changed_by: { kind: 'tsig_key', name: key.name },
      });
    });

    it.each(['hmac-sha256', 'hmac-sha384', 'hmac-sha512'])('signed with %s', async (algorithm) => {
      const other = await makeUpdateKey(
        service,
        `${algorithm}.${count}`,
        zone,
        undefined,
        algorithm,
      );
      const target = { port: service.dnsPort, zone, key: other };
      const add = `update add x.${zone}. 60 A 192.0.2.1`;
      expect(await sendUpdate(updater, target, add)).toBe('NOERROR');
    });
  });
}

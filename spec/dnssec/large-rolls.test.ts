/**
 * Key rolls of a zone whose passes are signed in a thread: other programs judge it at every step, and
 * what stands at the end is what a full re-sign gives (cases 81 and 82).
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { needsPeers } from '../support/peers.ts';
import { ServiceZone } from '../support/service-zone.ts';
import { recordsOf } from '../support/signed-zone.ts';
import { dsRdataOf } from '../support/signing.ts';
import { verifiers } from '../support/zone-verifiers.ts';

const day = 86_400_000;
const hosts = Array.from({ length: 400 }, (_, at) => `h${at} A 192.0.2.${at % 256}`).join('\n');
let service: InProcessService;

beforeEach(() => {
  service = new InProcessService();
});

afterEach(() => service.close());

needsPeers(...verifiers)('a zone of several hundred names', () => {
  it.each([
    { split: false, first: 'csk active', last: 'csk retired, csk active' },
    {
      split: true,
      first: 'ksk active, zsk active',
      last: 'ksk retired, zsk retired, ksk active, zsk active',
    },
  ])(
    'moves to another algorithm, split $split',
    async ({ split, first, last }) => {
      for (const [name, algorithm] of [
        ['p256', 'ecdsap256sha256'],
        ['edwards', 'ed25519'],
      ]) {
        await service.call('POST', '/dnssec-policies', { name, algorithm, split_keys: split });
      }
      const zone = await ServiceZone.create(
        service,
        'large.test',
        recordsOf(`@ NS ns.other.test.\n${hosts}`),
      );
      const keys = async () => {
        const status = await zone.dnssec('GET', '');
        return status.keys
          .map(({ role, state }: { role: string; state: string }) => `${role} ${state}`)
          .join(', ');
      };
      /** The parent serves what the status asks for. */
      const followed = async () => {
        const { ds_records: records } = await zone.dnssec('GET', '');
        const ds = records.map(dsRdataOf);
        service.parents = (_, addresses) =>
          addresses.map((address) => ({ address, ds, ttlSeconds: 3600 }));
      };
      const judged = async (step: string) => {
        expect({ step, complaints: await zone.complaints() }).toEqual({ step, complaints: [] });
      };
      const later = async (milliseconds: number) => {
        service.pass(milliseconds);
        await service.signing.scheduler.runOnce();
      };

      const parents = { parent_ns_addrs: ['192.0.2.1'] };
      await zone.dnssec('POST', '', { policy_name: 'p256', ...parents });
      await followed();
      await later(day);
      expect(await keys()).toBe(first);
      await judged('enabled');

      await zone.dnssec('PUT', '', { policy_name: 'edwards' });
      await judged('both algorithms sign');
      await later(day);
      await followed();
      await later(1000);
      expect(await keys()).toBe(last);
      await judged('promoted');

      await followed();
      await later(1000);
      await later(2 * day);
      expect(await keys()).toBe(first);
      await judged('the old algorithm removed');
      const before = await zone.meaning();
      expect(before.filter((line) => / (C?DNSKEY \d+ 3|CDS \d+|RRSIG \S+) 13 /.test(line))).toEqual(
        [],
      );
      await zone.dnssec('POST', '/sign');
      expect(await zone.meaning()).toEqual(before);
      expect(await service.verify()).toEqual([]);
    },
    300_000,
  );
});

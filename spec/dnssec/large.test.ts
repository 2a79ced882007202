/**
 * A zone of thousands of names, whose passes are too long for a commit and are signed in a thread:
 * other programs judge it after each, other zones are changed meanwhile, and a replay of the journal
 * gives what is stored (cases 77 to 79: chains of all sizes; 83: nothing half signed is seen).
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { largeZone } from '../support/large-zone.ts';
import { isLong } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { ServiceZone } from '../support/service-zone.ts';
import { verifiers } from '../support/zone-verifiers.ts';

const nameCount = isLong ? 10_000 : 700;
const importCount = 3500;
const parents = { parent_ns_addrs: ['192.0.2.1'] };
const other = 'other.test';
let service: InProcessService;

beforeEach(async () => {
  service = new InProcessService();
  service.parents = (_, addresses) =>
    addresses.map((address) => ({ address, ds: [], ttlSeconds: null }));
});

afterEach(() => service.close());

/** Does something with the large zone while another is changed; both must get on. */
async function meanwhile(title: string, deed: () => Promise<unknown>): Promise<void> {
  let isDone = false;
  let changes = 0;
  let slowestMs = 0;
  const done = deed().finally(() => {
    isDone = true;
  });
  const change = async () => {
    while (!isDone) {
      const started = performance.now();
      const name = `${title}-${changes}`;
      const record = { zone_name: other, name, type: 'A', value: '192.0.2.1' };
      await service.call('POST', '/records', record, 201);
      slowestMs = Math.max(slowestMs, performance.now() - started);
      if (!isDone) changes++;
      // A turn for everything else in this process.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await Promise.all([done, change()]);
  expect(changes, `changes of another zone during ${title}`).toBeGreaterThan(3);
  expect(slowestMs, `the slowest of them during ${title}`).toBeLessThan(30_000);
}

needsPeers(...verifiers)('a zone too large for one commit', () => {
  // Either way both chains are made, for the policy is changed on the way.
  for (const denial of isLong ? (['nsec3', 'nsec'] as const) : (['nsec3'] as const)) {
    it(`is enabled with ${denial}, changed as a whole, imported into and disabled`, async () => {
      await service.createZone(other);
      await service.call('POST', '/dnssec-policies', { name: 'nsec', denial: 'nsec' });
      const policyName = denial === 'nsec' ? 'nsec' : 'default';
      const otherPolicy = denial === 'nsec' ? 'default' : 'nsec';
      const zone = await ServiceZone.create(service, 'large.test', largeZone(nameCount));
      const judged = async (title: string) => {
        expect({ title, complaints: await zone.complaints() }).toEqual({ title, complaints: [] });
      };

      await meanwhile('enable', () =>
        zone.dnssec('POST', '', { ...parents, policy_name: policyName }),
      );
      await judged('enabled');

      await meanwhile('minimum', () =>
        service.call('PUT', '/zones/large.test', { minimum_ttl: 60 }),
      );
      await judged('another minimum TTL');
      expect(await zone.exported()).toMatch(/\t60\tIN\tNSEC/);

      const content = Array.from(
        { length: importCount },
        (_, at) => `i${at}.large.test. 300 IN A 10.0.${at >> 8}.${at & 255}`,
      ).join('\n');
      const beforeImport = await zone.serial();
      await meanwhile('import', () =>
        service.call('POST', '/zones/large.test/import', { content, mode: 'append' }),
      );
      const step = { zone_name: 'large.test', name: 'i7', type: 'TXT', value: 'after' };
      await service.call('POST', '/records', step, 201);
      await judged('an import and a change after it');

      const back = { serial: beforeImport };
      await meanwhile('rollback', () => service.call('POST', '/zones/large.test/rollback', back));
      await judged('rolled back');
      expect(await zone.exported()).not.toMatch(/^i7\t/m);

      await meanwhile('policy', () => zone.dnssec('PUT', '', { policy_name: otherPolicy }));
      await judged('another denial');

      const before = await zone.meaning();
      await meanwhile('sign', () => zone.dnssec('POST', '/sign'));
      expect(await zone.meaning()).toEqual(before);
      await judged('signed anew');

      const { serial } = (await service.call('GET', '/zones/large.test')).zone;
      await meanwhile('disable', () => zone.dnssec('DELETE', ''));
      expect(await zone.exported()).not.toMatch(/RRSIG|NSEC|DNSKEY|CDS/);
      // Every deed above was one step of the serial.
      expect(await zone.serial()).toBe(serial + 1);
      expect(await service.verify()).toEqual([]);
    }, 1_800_000);
  }
});

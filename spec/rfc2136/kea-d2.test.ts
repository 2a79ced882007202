/**
 * Kea's D2 as a client: leases come, move and go, and those of others stay (RFC 4703 5). Its zones are signed for by a
 * TSIG key with just the rights that it needs.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { KeaD2, type Lease } from '../support/kea-d2.ts';
import { needsPeers } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';
import { makeUpdateKey, makeZoneOf, recordsOf, serialOf } from '../support/updaters.ts';

const forward = 'lan.example';
const reverse = '2.0.192.in-addr.arpa';
const one = `000101${'11'.repeat(32)}`;
const other = `000101${'22'.repeat(32)}`;

needsPeers('kea-dhcp-ddns')('Kea D2', () => {
  let service: RunningService;
  let kea: KeaD2;

  beforeEach(async () => {
    service = await startService();
    for (const zone of [forward, reverse]) await makeZoneOf(service, zone);
    const key = await makeUpdateKey(service, 'kea.example', forward, []);
    const actions = ['record:read', 'record:create', 'record:delete'];
    for (const zone_name of [forward, reverse]) {
      await service.must('POST', `/roles/role-of-${key.name}/grants`, { zone_name, actions });
    }
    kea = await KeaD2.start({
      dnsPort: service.dnsPort,
      key,
      forwardZone: forward,
      reverseZone: reverse,
    });
  });
  afterEach(async () => {
    await kea[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  const lease = (change: Lease['change'], dhcid: string, last: number, name = 'host'): Lease => ({
    change,
    fqdn: `${name}.${forward}.`,
    address: `192.0.2.${last}`,
    dhcid,
  });
  /** Records without those of the apex, and without TTLs. */
  async function held(): Promise<string[]> {
    const all = [...(await recordsOf(service, forward)), ...(await recordsOf(service, reverse))];
    const leased = all.filter((line) => !line.startsWith('@ '));
    return leased.map((line) => line.replace(/ \d+ /, ' ')).sort();
  }
  const dhcidText = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
  const recordsFor = (dhcid: string, last: number, name = 'host') =>
    [
      `${name} A 192.0.2.${last}`,
      `${name} DHCID ${dhcidText(dhcid)}`,
      `${last} PTR ${name}.${forward}.`,
      `${last} DHCID ${dhcidText(dhcid)}`,
    ].sort();

  it('adds, replaces and removes what is its client’s', async () => {
    expect(await kea.tell(lease('add', one, 10))).toBe(true);
    expect(await held()).toEqual(recordsFor(one, 10));
    const serial = await serialOf(service, forward);
    // A lease that is renewed adds what is there.
    expect(await kea.tell(lease('add', one, 10))).toBe(true);
    expect(await held()).toEqual(recordsFor(one, 10));
    expect(await serialOf(service, forward)).toBe(serial);
    // The client has another address.
    expect(await kea.tell(lease('add', one, 11))).toBe(true);
    const stale = recordsFor(one, 10).filter((line) => line.startsWith('10 '));
    expect(await held()).toEqual([...recordsFor(one, 11), ...stale].sort());
    expect(await kea.tell(lease('remove', one, 11))).toBe(true);
    expect(await held()).toEqual(stale);
  });

  it('takes and gives a name back without asking whose it is, when it is told to', async () => {
    expect(await kea.tell(lease('add', one, 10))).toBe(true);
    const anyway = { resolvesConflicts: false };
    expect(await kea.tell({ ...lease('add', other, 10), ...anyway })).toBe(true);
    expect(await held()).toEqual(recordsFor(other, 10));
    expect(await kea.tell({ ...lease('remove', one, 10), ...anyway })).toBe(true);
    expect(await held()).toEqual([]);
  });

  it('case 102: leaves the A and the PTR of another client alone', async () => {
    expect(await kea.tell(lease('add', one, 10))).toBe(true);
    const serials = async () => [
      await serialOf(service, forward),
      await serialOf(service, reverse),
    ];
    const before = await serials();
    // Neither a second client of the name, nor the end of a lease that was never that client's, changes anything.
    expect(await kea.tell(lease('add', other, 10))).toBe(false);
    expect(await kea.tell(lease('add', other, 12))).toBe(false);
    expect(await kea.tell(lease('remove', other, 10))).toBe(false);
    expect(await held()).toEqual(recordsFor(one, 10));
    expect(await serials()).toEqual(before);
    // The client itself may go, and then the name is free.
    expect(await kea.tell(lease('remove', one, 10))).toBe(true);
    expect(await held()).toEqual([]);
    expect(await kea.tell(lease('add', other, 10))).toBe(true);
    expect(await held()).toEqual(recordsFor(other, 10));
  });
});

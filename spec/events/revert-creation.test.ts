/** The undo of a creation: what somebody has given to the zone since does not go with it unasked. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { ServiceZone } from '../support/service-zone.ts';
import { recordsOf } from '../support/signed-zone.ts';
import { dsRdataOf } from '../support/signing.ts';

let service: InProcessService;
let made = 0;
beforeAll(() => {
  service = new InProcessService();
});
afterAll(() => service.close());

const call = (method: string, path: string, body?: object) => service.call(method, path, body);

async function creationOf(zone: string): Promise<number> {
  await service.createZone(zone);
  return (await call('GET', `/events?kind=zone.created&limit=1`)).items[0].seq;
}

const gifts: readonly [string, (zone: string) => Promise<unknown>][] = [
  ['a tag', (zone) => call('POST', `/zones/${zone}/tags`, { name: 'here', serial: 1 })],
  [
    'an owner of an RRset',
    async (zone) => {
      const [{ name, ttl, value }] = (await call('GET', `/records?zone_name=${zone}&type=NS`))
        .items;
      const content = `${name} ${ttl} IN NS ${value}\n`;
      return call('POST', `/zones/${zone}/desired?owner=team`, { content });
    },
  ],
  [
    'parents to ask',
    (zone) => call('PUT', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['192.0.2.53'] }),
  ],
  [
    'a grant',
    async (zone) => {
      await call('POST', '/roles', { name: 'of-one-zone' });
      await call('POST', '/roles/of-one-zone/grants', { actions: ['zone:read'], zone_name: zone });
    },
  ],
];

it.each(gifts)('is refused once it has %s, also in a dry run', async (_, give) => {
  const zone = `given${++made}.example`;
  const seq = await creationOf(zone);
  await give(zone);
  expect(await service.serialOf(zone)).toBe(1);
  const says = `zone '${zone}' changed since it came by event ${seq}: delete it by itself`;
  for (const dry_run of [true, false]) {
    await service.refused('POST', `/events/${seq}/revert`, { dry_run }, 'REVERT_CONFLICT', says);
  }
  await call('DELETE', `/zones/${zone}`);
  await call('POST', `/zones/${zone}/restore`);
  // What it had before it was restored does not count, but for grants, which do not come back.
  const back = (await call('GET', '/events?limit=1')).items[0].seq;
  await call('POST', `/events/${back}/revert`);
  await call('POST', `/zones/${zone}/purge`);
});

it('of a signed zone goes on where the service has looked at its parent since', async () => {
  const zone = await ServiceZone.create(
    service,
    'looked-at.test',
    recordsOf('@ NS ns.other.test.'),
  );
  await zone.dnssec('POST', '', { parent_ns_addrs: ['192.0.2.1'] });
  service.pass(86_400_000);
  const ds = (await zone.dnssec('GET', '')).ds_records.map(dsRdataOf);
  service.parents = (_, addresses) =>
    addresses.map((address) => ({ address, ds, ttlSeconds: 3600 }));
  await zone.dnssec('POST', '/check-ds');
  const path = '/zones/looked-at.test';
  const dnssec = `${path}/dnssec`;
  const restore = async () => {
    await call('DELETE', path);
    service.pass(7_200_000);
    await call('POST', `${path}/restore`);
    return (await call('GET', '/events?kind=zone.restored&limit=1')).items[0].seq;
  };
  const looked = await restore();
  await zone.dnssec('POST', '/check-ds');
  expect((await call('GET', '/events?limit=1')).items[0].kind).toBe('zone.signing-noted');
  await call('POST', `/events/${looked}/revert`);
  await call('POST', `${path}/restore`);
  const given = await restore();
  await call('PUT', dnssec, { parent_ns_addrs: ['192.0.2.2'] });
  await service.refused('POST', `/events/${given}/revert`, {}, 'REVERT_CONFLICT', 'changed since');
});

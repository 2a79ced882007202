/** NOTIFY with serials that are advanced before, for all zones and for one. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;
beforeEach(async () => {
  service = new InProcessService();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await service.createZone(`${name}.example`);
});
afterEach(() => service.close());

const path = '/notify?bump_serial=true';
const serials = (...names: string[]) =>
  Promise.all(names.map((name) => service.serialOf(`${name}.example`)));

it('goes on where zones go, or change, while secondaries are asked', async () => {
  service.seenSerials = async () => {
    await service.call('DELETE', '/zones/a.example');
    await service.call('PUT', '/zones/b.example', { name: 'new.example' });
    await service.call('PUT', '/zones/c.example', { enabled: false });
    await service.call('DELETE', '/zones/d.example');
    await service.createZone('d.example');
    return [['e.example', 40] as const];
  };
  await service.call('POST', path, undefined, 200);
  // What was made under the name of another meanwhile was not meant.
  expect(await serials('new', 'c', 'd', 'e')).toEqual([3, 2, 2, 41]);
  expect(service.notified).toEqual([undefined]);
});

it('names the zones whose serial can not advance, after all others and NOTIFY', async () => {
  service.forceSerial('b.example', 2_146_483_647);
  const says =
    "sent for the catalog and all zones, but not every serial was advanced: zone 'b.example'";
  await service.refused('POST', path, undefined, 'ZONE_CONFLICT', says);
  expect(await serials('a', 'b', 'c', 'd', 'e')).toEqual([2, 2_146_483_647, 2, 2, 2]);
  expect(service.notified).toEqual([undefined]);
  service.notifyFailures.push({ secondary: 'ns2', error: 'no answer' });
  const both = await service.refused('POST', path, undefined, 'NOTIFY_FAILED', says.slice(-14));
  expect(both.body.error).toContain("'ns2' (no answer); not every serial was advanced");
});

it('says which serials it ignores, and passes the others', async () => {
  const serial = 4_294_967_295;
  service.seenSerials = async () => [
    ['a.example', serial],
    ['a.example', 300_000],
  ];
  const says = (zone: string) =>
    `ignored serial ${serial} that secondary 'ns1' serves of zone '${zone}': too few are left after it`;
  const one = '/zones/a.example/notify?bump_serial=true';
  expect(await service.call('POST', one, undefined, 200)).toEqual({
    message: `NOTIFY sent for zone 'a.example'; ${says('a.example')}`,
  });
  expect(await serials('a', 'b')).toEqual([300_001, 1]);
  service.seenSerials = async () => [
    ['b.example', serial],
    ['c.example', serial],
    ['d.example', 40],
  ];
  const more = says('b.example').replace(':', ' and 1 more:');
  expect(await service.call('POST', path, undefined, 200)).toEqual({
    message: `NOTIFY sent for the catalog and all zones; ${more}`,
  });
  expect(await serials('a', 'b', 'c', 'd')).toEqual([300_002, 2, 2, 41]);
  service.notifyFailures.push({ secondary: 'ns2', error: 'no answer' });
  for (const each of [one, path]) {
    const { error } = (await service.refused('POST', each, undefined, 'NOTIFY_FAILED', 'ns2')).body;
    expect(error).toContain(each === one ? "'ns2' (no answer)" : more);
  }
});

/** NOTIFY for all zones, with their serials advanced before. */
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
    return new Map([['e.example', 40]]);
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

import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;
beforeAll(() => {
  service = new InProcessService();
});
afterAll(() => service.close());

const get = (path: string) => service.call('GET', path, undefined, 200);

it('tells of a purge by the last name of the zone, in all lists and alone', async () => {
  await service.createZone('first.example');
  const { zone } = await get('/zones/first.example');
  await service.call('PUT', '/zones/first.example', { name: 'last.example' }, 200);
  await service.call('DELETE', '/zones/last.example', undefined, 200);
  await service.call('POST', `/zones/last.example/purge?id=${zone.id}`, undefined, 200);
  const purged = {
    kind: 'zone.purged',
    serial: null,
    zone: { id: zone.id, name: 'last.example', deleted: true },
  };
  const [newest] = (await get('/events?limit=1')).items;
  expect(newest).toMatchObject(purged);
  expect((await get('/events?kind=zone.purged')).items).toMatchObject([purged]);
  expect((await get(`/events?zone_id=${zone.id}`)).items[0]).toMatchObject(purged);
  expect((await get(`/events/${newest.seq}`)).event).toMatchObject(purged);
});

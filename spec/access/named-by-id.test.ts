/** What an operator saw under a name is what is deleted, or granted in: not what has the name by now. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;
beforeAll(() => {
  service = new InProcessService();
});
afterAll(() => service.close());

const call = (method: string, path: string, body?: object, status = 200) =>
  service.call(method, path, body, status);

it.each([
  ['/roles', 'role', 'ROLE', {}],
  ['/tokens', 'token', 'TOKEN', { role_name: 'admin' }],
  ['/tsig-keys', 'tsig_key', 'TSIG_KEY', { role_name: 'admin' }],
])(
  'DELETE %s/{name}?id= refuses what was made anew under the name',
  async (path, key, code, fields) => {
    const name = 'again.example';
    const make = async () => (await call('POST', path, { name, ...fields }, 201))[key].id as number;
    const seen = await make();
    await call('DELETE', `${path}/${name}?id=${seen}`);
    const anew = await make();
    await service.refused(
      'DELETE',
      `${path}/${name}?id=${seen}`,
      undefined,
      `${code}_NOT_FOUND`,
      'id',
    );
    await call('DELETE', `${path}/${name}?id=${anew}`);
    await make();
    await call('DELETE', `${path}/${name}`);
  },
);

it('a grant is in the zone of the id that is given beside the name', async () => {
  const name = 'granted.example';
  const soa = { mname: 'ns1.example.net', rname: 'hostmaster@example.net' };
  const make = async () => (await call('POST', '/zones', { name, ...soa }, 201)).zone.id as number;
  await call('POST', '/roles', { name: 'holder' }, 201);
  const grants = '/roles/holder/grants';
  const grant = { actions: ['zone:read'], zone_name: name };
  const seen = await make();
  await call('POST', grants, { ...grant, zone_id: seen }, 201);
  await call('DELETE', `/zones/${name}`);
  const anew = await make();
  const late = { ...grant, zone_id: seen };
  await service.refused('POST', grants, late, 'ZONE_NOT_FOUND', 'zone_id');
  await call('POST', grants, { ...grant, zone_id: anew }, 201);
  const { zone_name: _, ...nameless } = late;
  await service.refused('POST', grants, nameless, 'INVALID_INPUT', 'zone_name');
  expect((await call('GET', grants)).items).toHaveLength(1);
});

import { expect, it } from 'vitest';
import { fakeServices } from '../../spec/support/fake-services.ts';
import { fakeRollback } from '../../spec/support/fake-versions.ts';
import { jsonOf } from '../../spec/support/json.ts';
import { createApp } from './app.ts';
import type { Services } from './services.ts';

/** Rolls back in a zone that moves `moves` times while its version is read. */
async function rollBack(moves: number) {
  const services = fakeServices();
  const zone = services.zones.byName('example.com')!;
  let submissions = 0;
  const writer = {
    submit: async () => ({ ...fakeRollback(zone, 3), moved: ++submissions <= moves }),
  } as unknown as Services['writer'];
  const app = createApp({ ...services, writer });
  const response = await app.request('/zones/example.com/versions/3/rollback', { method: 'POST' });
  return { response, body: await jsonOf(response), submissions };
}

it('reads again when the zone has moved meanwhile', async () => {
  const { response, body, submissions } = await rollBack(9);
  expect([response.status, submissions]).toEqual([200, 10]);
  expect(body).toMatchObject({ applied: true, target_serial: 3, new_serial: 8 });
});

it('gives up after ten times', async () => {
  const { response, body, submissions } = await rollBack(1000);
  expect([response.status, body.code, submissions]).toEqual([503, 'OVERLOADED', 10]);
  expect(response.headers.get('retry-after')).toBe('1');
});

it('goes to what a tag named when the request came, however often it reads', async () => {
  const services = fakeServices();
  const zone = services.zones.byName('example.com')!;
  let tagged = 3;
  const { versions } = services;
  const moving: Services['versions'] = {
    ...versions,
    serialOf: (of, moment) => ('tag' in moment ? tagged : versions.serialOf(of, moment)),
  };
  const asked: unknown[] = [];
  const writer = {
    submit: async ({ targetSerial }: { readonly targetSerial: number }) => {
      asked.push(targetSerial);
      // It moves, and so does the zone.
      tagged = 2;
      return { ...fakeRollback(zone, targetSerial), moved: asked.length === 1 };
    },
  } as unknown as Services['writer'];
  const app = createApp({ ...services, versions: moving, writer });
  const path = '/zones/example.com/versions/tag:good/rollback';
  const { status } = await app.request(path, { method: 'POST' });
  expect([status, asked]).toEqual([200, [3, 3]]);
});

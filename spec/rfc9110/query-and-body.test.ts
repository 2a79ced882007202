/** A field that may stand in the query and in the body is said once, or twice the same: on every route. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { routes } from '../../src/contract/routes.ts';
import { InProcessService } from '../support/in-process.ts';
import { jsonOf } from '../support/json.ts';

let service: InProcessService;
const zone = 'twice.example';
beforeAll(async () => {
  service = new InProcessService();
  await service.createZone(zone);
  const record = { zone_name: zone, name: 'www', type: 'A', value: '192.0.2.1' };
  await service.call('POST', '/records', record);
});
afterAll(() => service.close());

const namesInBoth = routes.flatMap((route) => {
  const names = Object.keys(route.query.entries).filter((name) => name in route.body.entries);
  return names.map((name) => ({ route, name }));
});

it('there are such fields, and all of them are switches', () => {
  const dryRuns = namesInBoth.filter(({ name }) => name === 'dry_run').map(({ route }) => route.id);
  expect(dryRuns).toEqual([
    'rollbackVersion',
    'rollbackZone',
    'disableDnssec',
    'promoteKey',
    'noteDsSeen',
    'abortRoll',
  ]);
  const others = new Set(namesInBoth.map(({ name }) => name));
  expect([...others].sort()).toEqual([
    'dry_run',
    'skip_ds_check',
    'skip_holddown',
    'skip_secondaries',
  ]);
});

it('a contradiction is refused by its name, and nothing is done', async () => {
  const events = service.events();
  for (const { route, name } of namesInBoth) {
    const path = route.path.replace('{name}', zone).replace('{serial}', '1');
    const needed = route.takesBody === 'always' ? (route.exampleBody as object) : {};
    for (const inQuery of [true, false]) {
      const body = { ...needed, [name]: !inQuery };
      const answer = await service.fetch(route.method, `${path}?${name}=${inQuery}`, body);
      const { code, error } = await jsonOf(answer);
      expect({ id: route.id, status: answer.status, code, error }).toEqual({
        id: route.id,
        status: 400,
        code: 'INVALID_INPUT',
        error: `'${name}' is ${inQuery} in the query and ${!inQuery} in the body: give it once`,
      });
    }
  }
  expect(service.events()).toBe(events);
});

it('what both say alike, or only one of them, counts', async () => {
  const serial = await service.serialOf(zone);
  const path = `/zones/${zone}/versions/1/rollback`;
  const ways: readonly (readonly [query: string, body: object])[] = [
    ['?dry_run=true', {}],
    ['?dry_run=true', { dry_run: null }],
    ['?dry_run=true', { dry_run: true }],
    ['', { dry_run: true }],
  ];
  for (const [query, body] of ways) {
    const answer = await service.fetch('POST', path + query, body);
    expect(await jsonOf(answer)).toMatchObject({ applied: false, dry_run: true });
  }
  expect(await service.serialOf(zone)).toBe(serial);
});

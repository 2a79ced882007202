/** Times that callers give, wherever one is taken: what has no form in RFC 3339 is refused by name. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: { readonly format?: string };
}

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8'));
const zone = 'times.example';

/** Each parameter of a query that takes a time, with the path of its operation. */
const taken = Object.entries<Record<string, { parameters?: readonly Parameter[] }>>(
  document.paths,
).flatMap(([path, { get }]) =>
  (get?.parameters ?? [])
    .filter(({ in: place, name, schema }) => {
      return place === 'query' && (schema?.format === 'date-time' || /^(?:to_)?at$/.test(name));
    })
    .map(({ name }) => [path, name] as const),
);

const none = [
  '9999-12-31T23:59:59-23:59',
  '0000-01-01T00:00:00+23:59',
  '+275760-09-13T00:00:01Z',
  '999999-01-01T00:00:00Z',
  '1e400',
  `${'9'.repeat(400)}w`,
];

let service: InProcessService;
beforeAll(async () => {
  service = new InProcessService();
  await service.createZone(zone);
});
afterAll(() => service.close());

it('there are many', () => expect(taken.length).toBeGreaterThan(15));

it.each(taken)('GET %s ?%s=', async (path, name) => {
  const filled = path.replace('{name}', zone).replace(/\{\w+\}/g, '1');
  for (const time of none) {
    const query = new URLSearchParams({ ...(path === '/search' && { q: 'x' }), [name]: time });
    const said = await service.refused('GET', `${filled}?${query}`, undefined, 'INVALID_INPUT');
    expect(said.body.error).toContain(`'${name}'`);
  }
});

it('in a body: forget-history and the lock of a zone', async () => {
  for (const time of none) {
    const forget = { before: time };
    await service.refused(
      'POST',
      `/zones/${zone}/forget-history`,
      forget,
      'INVALID_INPUT',
      'before',
    );
    const guard = { guard: { locked_until: time } };
    await service.refused('PUT', `/zones/${zone}`, guard, 'INVALID_ZONE_FIELD', 'locked_until');
  }
});

it('the outermost ones are taken', async () => {
  for (const time of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z']) {
    await service.call('GET', `/events?since=${time}`, undefined, 200);
  }
  const [from, to] = ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'];
  const { items } = await service.call('GET', `/zones/${zone}/activity?from=${from}&to=${to}`);
  expect(items[0].at).toBe('0000-01-01T00:00:00.000Z');
});

import { describe, expect, it } from 'vitest';
import { fakeServices } from '../../spec/support/fake-services.ts';
import { jsonOf } from '../../spec/support/json.ts';
import { needsQuery, type Route } from '../contract/route.ts';
import { routes } from '../contract/routes.ts';
import { createApp, endpointsFor } from './app.ts';

const app = createApp(fakeServices());

/** What a query must say; it is judged before the body. */
const neededQuery = (route: Route) => {
  if ('owner' in route.query.entries) return '?owner=shop';
  return needsQuery(route) ? '?zone_name=example.com&name=www' : '';
};

function send(route: Route, query: string, body?: unknown) {
  const path = route.path.replace('{id}', '7').replace(/\{\w+\}/, 'example.com');
  const init: RequestInit = { method: route.method };
  if (body !== undefined) {
    init.headers = { 'content-type': 'application/json' };
    init.body = JSON.stringify(body);
  }
  return app.request(`${path}${query}`, init);
}

it('serves every route of the contract, each once', () => {
  const served = endpointsFor(fakeServices()).map(({ route }) => route);
  expect(new Set(served.map(({ id }) => id)).size).toBe(served.length);
  const byId = (a: Route, b: Route) => (a.id < b.id ? -1 : 1);
  expect([...served].sort(byId)).toEqual([...routes].sort(byId));
});

describe.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (_, route) => {
    const needed = route.takesBody === 'always' ? route.exampleBody : undefined;

    it('refuses an unknown query parameter by name', async () => {
      const response = await send(route, '?no_such_parameter=1', needed);
      expect(response.status).toBe(400);
      const body = await jsonOf(response);
      expect(body.code).toBe('INVALID_INPUT');
      expect(body.error).toContain("'no_such_parameter'");
    });

    it('refuses every parameter that is given twice', async () => {
      for (const name of Object.keys(route.query.entries)) {
        const response = await send(route, `?${name}=1&${name}=1`, needed);
        expect([name, response.status]).toEqual([name, 400]);
        expect((await jsonOf(response)).error).toContain(`'${name}' is given more than once`);
      }
    });

    // A web Request can not give GET a body.
    const hasBody = route.method !== 'GET';
    (hasBody ? it : () => {})('refuses an unknown body field by name', async () => {
      const given = { ...(needed as object | undefined), no_such_field: 1 };
      const response = await send(route, neededQuery(route), given);
      expect(response.status).toBe(400);
      const body = await jsonOf(response);
      expect(body.code).toBe('INVALID_JSON_BODY');
      expect(body.error).toContain("'no_such_field'");
    });

    it('refuses every body field of a wrong type by name', async () => {
      for (const name of Object.keys(route.body.entries)) {
        const given = { ...(needed as object | undefined), [name]: { wrong: true } };
        const response = await send(route, neededQuery(route), given);
        expect([name, response.status]).toEqual([name, 400]);
        // One that takes an object refuses what is in it.
        expect((await jsonOf(response)).error).toMatch(new RegExp(`'${name}(?:\\.wrong)?'`));
      }
    });
  },
);

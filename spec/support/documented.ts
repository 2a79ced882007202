/** That the OpenAPI document names what the service refuses a request with. */
import { expect } from 'vitest';
import { problemsOf, type Route } from '../../src/contract/route.ts';
import { routes } from '../../src/contract/routes.ts';

const templates = routes.map((route) => {
  const shape = route.path.replaceAll(/\{\w+\}/g, '[^/]+');
  return { route, test: new RegExp(`^${shape}$`), parameters: route.path.split('{').length };
});

/** Undefined where there is none. */
export function routeOf(method: string, path: string): Route | undefined {
  const [bare = ''] = path.split('?');
  const found = templates.filter(({ route, test }) => route.method === method && test.test(bare));
  // A path without parameters comes before one that would take it as a value.
  return found.toSorted((one, other) => one.parameters - other.parameters)[0]?.route;
}

export function expectDocumented(method: string, path: string, code: unknown): void {
  const route = routeOf(method, path);
  if (route === undefined || typeof code !== 'string') return;
  expect(problemsOf(route), `${method} ${path} does not name this code`).toContain(code);
}

/** All operations of the interface, in the order the specification shows them. */
import { recordRoutes } from './records.ts';
import type { Route } from './route.ts';
import { secondaryRoutes } from './secondaries.ts';
import { serviceRoutes } from './service.ts';
import { zoneRoutes } from './zones.ts';

export const routes: readonly Route[] = [
  ...serviceRoutes,
  ...zoneRoutes,
  ...recordRoutes,
  ...secondaryRoutes,
];

export function routeById(id: string): Route | undefined {
  return routes.find((route) => route.id === id);
}

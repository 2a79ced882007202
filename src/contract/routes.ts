/** All operations of the interface, in the order the specification shows them. */
import { getPermissions } from './permissions.ts';
import { recordRoutes } from './records.ts';
import { roleRoutes } from './roles.ts';
import type { Route } from './route.ts';
import { secondaryRoutes } from './secondaries.ts';
import { serviceRoutes } from './service.ts';
import { tokenRoutes } from './tokens.ts';
import { tsigKeyRoutes } from './tsig-keys.ts';
import { zoneRoutes } from './zones.ts';

export const routes: readonly Route[] = [
  ...serviceRoutes,
  ...zoneRoutes,
  ...recordRoutes,
  ...secondaryRoutes,
  ...roleRoutes,
  ...tokenRoutes,
  ...tsigKeyRoutes,
  getPermissions,
];

export function routeById(id: string): Route | undefined {
  return routes.find((route) => route.id === id);
}

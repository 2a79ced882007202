/** All operations of the interface, in the order the specification shows them. */
import { dnssecRoutes } from './dnssec.ts';
import { policyRoutes } from './dnssec-policies.ts';
import { exchangeRoutes } from './exchange.ts';
import { externalDnsRoutes } from './external-dns.ts';
import { historyRoutes } from './history.ts';
import { getPermissions } from './permissions.ts';
import { recordRoutes } from './records.ts';
import { retentionRoutes } from './retention.ts';
import { roleRoutes } from './roles.ts';
import type { Route } from './route.ts';
import { secondaryRoutes } from './secondaries.ts';
import { serviceRoutes } from './service.ts';
import { tokenRoutes } from './tokens.ts';
import { tsigKeyRoutes } from './tsig-keys.ts';
import { versionRoutes } from './versions.ts';
import { zoneRoutes } from './zones.ts';

export const routes: readonly Route[] = [
  ...serviceRoutes,
  ...zoneRoutes,
  ...exchangeRoutes,
  ...versionRoutes,
  ...historyRoutes,
  ...retentionRoutes,
  ...recordRoutes,
  ...secondaryRoutes,
  ...roleRoutes,
  ...tokenRoutes,
  ...tsigKeyRoutes,
  getPermissions,
  ...externalDnsRoutes,
  ...policyRoutes,
  ...dnssecRoutes,
];

export function routeById(id: string): Route | undefined {
  return routes.find((route) => route.id === id);
}

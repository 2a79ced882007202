/** All operations of the interface, in the order the specification shows them. */
import { permissionRoutes, roleRoutes, tokenRoutes, tsigKeyRoutes } from './access.ts';
import { changeRoutes } from './changes.ts';
import { desiredRoutes } from './desired.ts';
import { dnssecRoutes } from './dnssec.ts';
import { policyRoutes } from './dnssec-policies.ts';
import { eventRoutes } from './events.ts';
import { exchangeRoutes } from './exchange.ts';
import { explainRoutes } from './explain.ts';
import { externalDnsRoutes } from './external-dns.ts';
import { historyRoutes } from './history.ts';
import { lintRoutes } from './lint.ts';
import { recordRoutes } from './records.ts';
import type { Route } from './route.ts';
import { searchRoutes } from './search.ts';
import { secondaryRoutes } from './secondaries.ts';
import { serviceRoutes } from './service.ts';
import { sessionRoutes } from './sessions.ts';
import { tagRoutes } from './tags.ts';
import { versionRoutes } from './versions.ts';
import { webhookRoutes } from './webhooks.ts';
import { zoneRoutes } from './zones.ts';

const resources = [
  serviceRoutes,
  zoneRoutes,
  exchangeRoutes,
  versionRoutes,
  tagRoutes,
  historyRoutes,
  eventRoutes,
  lintRoutes,
  desiredRoutes,
  recordRoutes,
  searchRoutes,
  changeRoutes,
  webhookRoutes,
  secondaryRoutes,
  roleRoutes,
  sessionRoutes,
  tokenRoutes,
  tsigKeyRoutes,
  permissionRoutes,
  explainRoutes,
  externalDnsRoutes,
  policyRoutes,
  dnssecRoutes,
];

export const routes: readonly Route[] = resources.flatMap((resource) =>
  Object.values<Route>(resource),
);

export function routeById(id: string): Route | undefined {
  return routes.find((route) => route.id === id);
}

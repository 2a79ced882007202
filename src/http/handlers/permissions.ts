/** The handler that tells callers what they may do (interface 4.6, decisions 16). */
import { permissionRoutes } from '../../contract/tokens.ts';
import type { HeldActions } from '../../domain/access/rights.ts';
import { json } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';

const permissions = endpoint(permissionRoutes.getPermissions, ({ view }) => {
  const held = view.zones.held();
  const everywhere = presentHeld(held.everywhere);
  const differing: ({ zone_name: string } & ReturnType<typeof presentHeld>)[] = [];
  for (const { zoneName, ...actions } of held.zones) {
    const there = presentHeld(actions);
    if (JSON.stringify(there) === JSON.stringify(everywhere)) continue;
    differing.push({ zone_name: zoneName, ...there });
  }
  differing.sort((a, b) => (a.zone_name < b.zone_name ? -1 : 1));
  return json(200, { all_zones: everywhere, zones: differing });
});

function presentHeld({ actions, whole }: HeldActions) {
  return { actions, whole_zone: whole };
}

export const permissionEndpoints: readonly Endpoint[] = [permissions];

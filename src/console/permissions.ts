/** What the caller may do: what it may not is not drawn. The service judges each request all the same. */
import { signal } from '@preact/signals';
import { get, type Permissions } from './api.ts';

export type Action = Permissions['all_zones']['actions'][number];

const permissions = signal<Permissions | undefined>(undefined);

export async function readPermissions(): Promise<void> {
  permissions.value = await get<Permissions>('/permissions');
}

function heldIn(zone: string | undefined) {
  const all = permissions.value;
  return all?.zones.find((each) => each.zone_name === zone) ?? all?.all_zones;
}

/** Whether one of these is allowed on anything of a zone; without a zone, in all zones. */
export function may(zone: string | undefined, ...actions: readonly Action[]): boolean {
  const held = heldIn(zone);
  return actions.find((action) => held?.actions.includes(action)) !== undefined;
}

/** Whether this is allowed on all records of a zone. */
export function mayWhole(zone: string, action: Action): boolean {
  return heldIn(zone)?.whole_zone.includes(action) ?? false;
}

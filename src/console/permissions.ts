/**
 * What the caller may do: what it may not is not drawn, and nothing that writes while the service is away. The service
 * judges each request all the same.
 */
import { signal } from '@preact/signals';
import { get, type Permissions } from './api.ts';
import { isReachable } from './reconnect.ts';

export type Action = Permissions['all_zones']['actions'][number];

/** All that a grant can allow: an action that is missing does not compile. */
const actions: Readonly<Record<Action, true>> = {
  'zone:read': true,
  'zone:create': true,
  'zone:update': true,
  'zone:delete': true,
  'zone:transfer': true,
  'record:read': true,
  'record:create': true,
  'record:update': true,
  'record:delete': true,
  'dnssec:read': true,
  'dnssec:manage': true,
  'secondary:read': true,
  'secondary:manage': true,
  'access:manage': true,
};

export const actionNames = Object.keys(actions) as readonly Action[];

const permissions = signal<Permissions | undefined>(undefined);

export async function readPermissions(): Promise<void> {
  permissions.value = await get<Permissions>('/permissions');
}

/** Whether the service refuses what is written without a reason. */
export function needsReason(): boolean {
  return permissions.value?.reason_required ?? false;
}

function heldIn(zone: string | undefined) {
  const all = permissions.value;
  return all?.zones.find((each) => each.zone_name === zone) ?? all?.all_zones;
}

/** While the service is away nothing can be written: only what reads is left. */
function isUsable(action: Action): boolean {
  return isReachable.value || action.endsWith(':read');
}

/** Whether the caller has the right to one of these on anything of a zone, can it be used now or not. */
export function holds(zone: string | undefined, ...actions: readonly Action[]): boolean {
  const held = heldIn(zone);
  return actions.find((action) => held?.actions.includes(action)) !== undefined;
}

/** Whether one of these is possible on anything of a zone; without a zone, in all zones. */
export function may(zone: string | undefined, ...actions: readonly Action[]): boolean {
  return actions.findIndex(isUsable) >= 0 && holds(zone, ...actions);
}

/** Whether it is allowed on anything of any zone. */
export function mayAnywhere(action: Action): boolean {
  const zones = permissions.value?.zones ?? [];
  return (
    may(undefined, action) || zones.find(({ actions }) => actions.includes(action)) !== undefined
  );
}

/** Whether the caller has the right to all of these on all records of a zone. */
export function holdsWhole(zone: string | undefined, ...actions: readonly Action[]): boolean {
  const held = heldIn(zone);
  return actions.every((action) => held?.whole_zone.includes(action) ?? false);
}

/** Whether all of these are possible on all records of a zone; without a zone, of all zones. */
export function mayWhole(zone: string | undefined, ...actions: readonly Action[]): boolean {
  return actions.every(isUsable) && holdsWhole(zone, ...actions);
}

/** A rollback changes settings and records. */
export function mayRollBack(zone: string): boolean {
  const isWhole = mayWhole(zone, 'record:read', 'record:create', 'record:delete');
  return isWhole && may(zone, 'zone:update');
}

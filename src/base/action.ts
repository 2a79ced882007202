/** Actions: what a grant can allow. A closed list, in the order in which grants store and show them. */
export const actions = [
  'zone:read',
  'zone:create',
  'zone:update',
  'zone:delete',
  'zone:transfer',
  'record:read',
  'record:create',
  'record:update',
  'record:delete',
  'dnssec:read',
  'dnssec:manage',
  'secondary:read',
  'secondary:manage',
  'access:manage',
] as const;

export type Action = (typeof actions)[number];

export type RecordAction = Extract<Action, `record:${string}`>;

/** Actions that concern no single zone: a grant of them covers all zones. */
export const allZonesOnly: ReadonlySet<Action> = new Set([
  'zone:create',
  'secondary:read',
  'secondary:manage',
  'access:manage',
]);

export const recordActions: readonly RecordAction[] = actions.filter(isRecordAction);

export function isAction(text: string): text is Action {
  return (actions as readonly string[]).includes(text);
}

export function isRecordAction(action: Action): action is RecordAction {
  return action.startsWith('record:');
}

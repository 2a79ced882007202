/** What actions are about. */
import { type Action, actions } from '../../base/action.ts';

export { type Action, actions } from '../../base/action.ts';

export type RecordAction = Extract<Action, `record:${string}`>;

/** Actions that concern no single zone: a grant of them covers all zones. */
export const allZonesOnly: ReadonlySet<Action> = new Set([
  'zone:create',
  'secondary:read',
  'secondary:manage',
  'access:manage',
]);

export const recordActions: readonly RecordAction[] = [
  'record:read',
  'record:create',
  'record:update',
  'record:delete',
];

export function isAction(text: string): text is Action {
  return (actions as readonly string[]).includes(text);
}

export function isRecordAction(action: Action): action is RecordAction {
  return action.startsWith('record:');
}

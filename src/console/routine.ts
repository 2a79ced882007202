/** What a list of events may fold. */
import type { Event } from './api.ts';

/** Reasons of signing steps that come and go with time alone. */
const routine: ReadonlySet<string> = new Set([
  're-signed',
  'signatures-refreshed',
  'secondaries-seen',
  'parents-seen',
]);

/** What the service itself does as time goes by, which a list may fold. */
export function isRoutine({ kind, actor, signing }: Event): boolean {
  return kind.startsWith('zone.sign') && actor === null && routine.has(signing?.reason ?? '');
}

/** Which events a list folds. */
import { expect, it } from 'vitest';
import { isRoutine } from './routine.ts';

const service = { kind: 'zone.signed', actor: null };

it('is what the service does as time goes by, and nothing that becomes of keys', () => {
  const isFolded = (reason: string, event: object = service) =>
    isRoutine({ ...event, signing: { reason, key_tags: [] } } as never);
  expect(isFolded('re-signed')).toBe(true);
  expect(isFolded('signatures-refreshed')).toBe(true);
  expect(isFolded('parents-seen', { ...service, kind: 'zone.signing-noted' })).toBe(true);
  expect(isFolded('secondaries-seen', { ...service, kind: 'zone.signing-noted' })).toBe(true);
  expect(isFolded('key-published')).toBe(false);
  expect(isFolded('keys-promoted')).toBe(false);
  expect(isFolded('re-signed', { ...service, actor: { kind: 'token', name: 'ci' } })).toBe(false);
  expect(isRoutine({ kind: 'records.changed', actor: null, signing: null } as never)).toBe(false);
});

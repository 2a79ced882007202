import * as v from 'valibot';
import { expect, it } from 'vitest';
import { defineRoute } from './route.ts';
import { routes } from './routes.ts';

const base = {
  summary: 'Tried',
  success: { status: 200, description: 'Tried.', schema: v.unknown() },
} as const;
const admission = { by: 'token' } as const;
const body = v.strictObject({ name: v.string() });

it('no route is made without saying who is admitted, or with a body of any size', () => {
  // @ts-expect-error: it says nobody.
  expect(defineRoute('POST /tried', base).admission).toBeUndefined();
  expect(defineRoute('POST /tried', { ...base, admission, body }).bodyLimit).toBe('standard');
  expect(
    defineRoute('POST /tried', { ...base, admission, body, bodyLimit: 'bulk' }).bodyLimit,
  ).toBe('bulk');
  expect(defineRoute('POST /tried', { ...base, admission }).takesBody).toBe('never');
});

/** What nobody can have a token for: it takes one. */
const login = 'openSession';

it('what is open to everyone, and only that, is about the service itself or the way in', () => {
  for (const { id, tag, admission, takesBody } of routes) {
    expect([id, admission.by === 'anyone']).toEqual([id, tag === 'service' || id === login]);
    // Where any token will do a body changes nothing.
    if (admission.by === 'token' && takesBody !== 'never') expect(id).toBe('adjustExternalRecords');
  }
});

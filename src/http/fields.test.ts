import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { int32, optional, text, time } from '../contract/fields.ts';
import { components, openapiDocument } from '../contract/openapi.ts';
import type { JsonObject } from '../contract/openapi-headers.ts';
import { givenOf, presenter } from './fields.ts';

describe('presenting', () => {
  const inner = v.object({ at: time, two_words: int32 });
  const schema = v.object({
    id: int32,
    created_at: time,
    used_since: v.pipe(v.nullable(time), v.description('Null when never.')),
    inner: v.nullable(inner),
    list_of: v.array(inner),
    left_out: v.optional(int32),
  });
  const present = presenter(schema);

  it('names fields as the schema does, and leaves out what it does not name', () => {
    const one = { at: 0, twoWords: 1, secret: 2 };
    const value = { id: 3, createdAt: 1, usedSince: null, inner: one, listOf: [one], secret: 4 };
    const shown = { at: '1970-01-01T00:00:00.000Z', two_words: 1 };
    expect(present(value)).toEqual({
      id: 3,
      created_at: '1970-01-01T00:00:00.001Z',
      used_since: null,
      inner: shown,
      list_of: [shown],
    });
    expect(present({ ...value, inner: null, leftOut: 7 })).toMatchObject({
      inner: null,
      left_out: 7,
    });
  });

  it('knows every time of the contract by the name of its field, and nothing else', () => {
    const { schemas } = openapiDocument('1.0.0').components as { schemas: JsonObject };
    const names = new Set<string>();
    const others = new Set<string>();
    for (const name of Object.keys(components)) collect(schemas[name] as JsonObject);
    expect([...names].filter((name) => !/(^|_)(at|since)$/.test(name))).toEqual([]);
    expect([...others].filter((name) => /(^|_)(at|since)$/.test(name))).toEqual([]);
    expect(names).toContain('created_at');

    function collect({ properties = {} }: JsonObject): void {
      for (const [name, field] of Object.entries(properties as Record<string, JsonObject>)) {
        const parts = [field, ...((field.anyOf ?? []) as JsonObject[])];
        if (parts.some(({ format }) => format === 'date-time')) names.add(name);
        else others.add(name);
      }
    }
  });
});

it('takes null for not given, and a dry run for no part of what is asked for', () => {
  const body = v.strictObject({
    role_name: text,
    description: optional(text),
    dry_run: v.boolean(),
  });
  const given = givenOf(v.parse(body, { role_name: 'ops', description: null, dry_run: true }));
  expect(given).toStrictEqual({ roleName: 'ops' });
});

/**
 * A field beyond a bound that the document gives is refused, with an error that names the field, in every body that the
 * interface takes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningService, startService } from '../support/service.ts';
import { checkout } from '../support/test-titles.ts';

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { schema: Schema; example?: unknown }>>;
  };
}

const document = JSON.parse(readFileSync(join(checkout, 'spec/openapi.json'), 'utf8'));

function resolved(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const keys = schema.$ref.split('/').slice(1);
  return resolved(keys.reduce((inner, key) => inner[key], document));
}

type Place = readonly (string | 0)[];

/** Values that break one bound each, with the place in the body where they go. */
function* breaches(given: Schema, place: Place = []): Generator<[Place, unknown]> {
  const schema = resolved(given);
  for (const one of [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) yield* breaches(one, place);
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  if (Number.isSafeInteger(minimum)) yield [place, minimum! - 1];
  if (Number.isSafeInteger(maximum! + 1)) yield [place, maximum! + 1];
  if (minLength === 1) yield [place, ''];
  if (maxLength !== undefined) yield [place, 'a'.repeat(maxLength + 1)];
  if (minItems === 1) yield [place, []];
  if (maxItems !== undefined) {
    yield [place, Array.from({ length: maxItems + 1 }, (_, at) => `a${at}`)];
  }
  if (schema.pattern !== undefined || schema.format === 'date-time') yield [place, 'a\u0001 b'];
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    yield* breaches(inner, [...place, name]);
  }
  if (schema.items !== undefined) yield* breaches(schema.items, [...place, 0]);
}

/** A copy of a body with this value at this place. */
function withValue(body: unknown, [key, ...rest]: Place, value: unknown): unknown {
  if (key === undefined) return value;
  if (key === 0) return [withValue((body as unknown[] | undefined)?.[0], rest, value)];
  const object = (body ?? {}) as Record<string, unknown>;
  return { ...object, [key]: withValue(object[key], rest, value) };
}

/** Of every operation that takes JSON with a bound: how it is called, and what breaks a bound. */
const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => {
      const json = requestBody?.content['application/json'];
      const cases = json === undefined ? [] : [...breaches(json.schema)];
      return { method: method.toUpperCase(), path, body: json?.example, cases };
    }),
  )
  .filter(({ cases }) => cases.length > 0);

const record = { name: 'www', type: 'A', ttl: 300, values: ['192.0.2.1'] };
/** What the examples of the document lack: all that is needed around the value. */
const bodies: Readonly<Record<string, unknown>> = {
  '/changes': {
    zones: [{ name: 'example.com', add: [record], set: [record], delete: [{ name: 'old' }] }],
  },
};

/** What stands in paths in front of the braces, and the name there. */
const names: Readonly<Record<string, string>> = {
  'PUT /zones/{name}/dnssec': 'PUT /zones/signed.example/dnssec',
  '/zones/{name}': '/zones/example.com',
  '/zones/{zone_name}': '/zones/example.com',
  '/roles/{name}': '/roles/dns-ops',
  '/secondaries/{name}': '/secondaries/ns2',
  '/webhooks/{name}': '/webhooks/chat',
  '/dnssec-policies/{name}': '/dnssec-policies/split',
  '/{serial}': '/1',
  '/{seq}': '/1',
  '/{id}': '/1',
};

describe('a body with a value beyond a bound of the document', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ ZONEBOOK_API_EXTERNAL_DNS_ENABLED: 'true' });
    const paths = ['/zones', '/roles', '/secondaries', '/webhooks', '/dnssec-policies', '/records'];
    for (const path of paths) {
      const { example } = document.paths[path].post.requestBody.content['application/json'];
      await service.must('POST', path, example);
      if (path !== '/zones') continue;
      await service.must('POST', path, { ...example, name: 'signed.example' });
      await service.must('POST', '/zones/signed.example/dnssec', {
        parent_ns_addrs: ['127.0.0.1:9'],
      });
    }
  });
  afterAll(() => service?.end());

  it.each(operations)('is refused: $method $path', async ({ method, path, body, cases }) => {
    let line = `${method} ${path}`;
    for (const [part, name] of Object.entries(names)) line = line.replace(part, name);
    const url = line.slice(method.length + 1);
    const wrong: unknown[] = [];
    for (const [place, value] of cases) {
      const sent = withValue(bodies[path] ?? body, place, value);
      const { status, body: answer } = await service.call(method, url, sent);
      const isNamed = String(answer.error).includes(String(place.findLast((key) => key !== 0)));
      // A serial that can not be is one that never was.
      const isRefused = status === 400 || answer.code === 'VERSION_NOT_FOUND';
      if (!isNamed || !isRefused) wrong.push({ place, value, status, answer });
    }
    expect(wrong).toEqual([]);
  });
});

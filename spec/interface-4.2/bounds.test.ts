/**
 * A field beyond a bound that the document gives is refused, with an error that names the field, in every body that the
 * interface takes. A text that is no name is refused, or nothing is found by it, wherever a request has a text.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleOf } from '../support/long.ts';
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
  readonly type?: string | readonly string[];
  readonly pattern?: string;
  readonly format?: string;
}

interface Parameter {
  readonly $ref?: string;
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { schema: Schema; example?: unknown }>>;
  };
}

const document = JSON.parse(readFileSync(join(checkout, 'spec/openapi.json'), 'utf8'));

function resolved<Part extends { readonly $ref?: string }>(part: Part): Part {
  if (part.$ref === undefined) return part;
  const keys = part.$ref.split('/').slice(1);
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

/** The places in a body where a text may stand. */
function* textPlaces(given: Schema, place: Place = []): Generator<Place> {
  const schema = resolved(given);
  const inner = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  for (const one of inner) yield* textPlaces(one, place);
  if ([schema.type].flat().includes('string')) yield place;
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield* textPlaces(field, [...place, name]);
  }
  if (schema.items !== undefined) yield* textPlaces(schema.items, [...place, 0]);
}

/** Each breaks one rule of names (RFC 1035 2.3.4 and 5.1, RFC 5890 2.3.2.1). */
const noNames = [
  'a..b',
  '.a',
  '\\',
  '\\999.a',
  `${'a'.repeat(64)}.a`,
  'a.'.repeat(130),
  '½\u001dÇiENñ[',
  'xn--ß.a',
  'a b',
  'a\0',
];

/** A copy of a body with this value at this place. */
function withValue(body: unknown, [key, ...rest]: Place, value: unknown): unknown {
  if (key === undefined) return value;
  if (key === 0) return [withValue((body as unknown[] | undefined)?.[0], rest, value)];
  const object = (body ?? {}) as Record<string, unknown>;
  return { ...object, [key]: withValue(object[key], rest, value) };
}

const record = { name: 'www', type: 'A', ttl: 300, values: ['192.0.2.1'] };
/** What bodies have besides their examples, or instead: all that is needed around a value, and no other host. */
const besides: Readonly<Record<string, object>> = {
  '/changes': {
    zones: [{ name: 'example.com', add: [record], set: [record], delete: [{ name: 'old' }] }],
  },
  '/external-dns/changes': { deletions: [{ zone_name: 'example.com', count: 1 }] },
  '/secondaries': { address: '127.0.0.1:9' },
  '/webhooks': { url: 'https://127.0.0.1:9/' },
  '/webhooks/{name}': { url: 'https://127.0.0.1:9/' },
  '/zones/{name}/dnssec': { parent_ns_addrs: ['127.0.0.1:9'] },
};

/** Of every operation: how it is called, what breaks a bound of its body, and where it takes a text. */
const operations = Object.entries(
  document.paths as Record<string, Record<string, Operation>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { requestBody, parameters = [] }]) => {
    const json = requestBody?.content['application/json'];
    const cases = json === undefined ? [] : [...breaches(json.schema)];
    const texts = json === undefined ? [] : [...textPlaces(json.schema)];
    const asked = parameters.map(resolved).filter(({ in: where }) => where !== 'header');
    const body = json && { ...(json.example ?? {}), ...besides[path] };
    return { method: method.toUpperCase(), path, body, cases, texts, asked };
  }),
);
const withBounds = operations.filter(({ cases }) => cases.length > 0);
const withTexts = operations.filter(({ texts, asked }) => texts.length + asked.length > 0);

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

/** With names in place of the braces. */
function urlOf(method: string, path: string): string {
  let line = `${method} ${path}`;
  for (const [part, name] of Object.entries(names)) line = line.replace(part, name);
  return line.slice(method.length + 1);
}

/** A service with the examples of the document in it, for the tests of one suite. */
function filled(): () => RunningService {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ ZONEBOOK_API_EXTERNAL_DNS_ENABLED: 'true' });
    const paths = ['/zones', '/roles', '/secondaries', '/webhooks', '/dnssec-policies', '/records'];
    for (const path of paths) {
      const { example } = document.paths[path].post.requestBody.content['application/json'];
      await service.must('POST', path, { ...example, ...besides[path] });
      if (path !== '/zones') continue;
      await service.must('POST', path, { ...example, name: 'signed.example' });
      const signing = besides['/zones/{name}/dnssec'];
      await service.must('POST', '/zones/signed.example/dnssec', signing);
    }
  });
  afterAll(() => service?.end());
  return () => service;
}

describe('a request with a value beyond what the document allows', () => {
  const service = filled();

  it.each(withBounds)('is refused: $method $path', async ({ method, path, body, cases }) => {
    const url = urlOf(method, path);
    const wrong: unknown[] = [];
    for (const [place, value] of cases) {
      const sent = withValue(body, place, value);
      const { status, body: answer } = await service().call(method, url, sent);
      const isNamed = String(answer.error).includes(String(place.findLast((key) => key !== 0)));
      // A serial that can not be is one that never was, as an id is.
      const isRefused = status === 400 || /^(VERSION|ZONE)_NOT_FOUND$/.test(answer.code);
      if (!isNamed || !isRefused) wrong.push({ place, value, status, answer });
    }
    expect(wrong).toEqual([]);
  });
});

// What is accepted of it changes the zones, which the other suite must find as they were.
describe('a request with a text that is no name', () => {
  const service = filled();

  it.each(withTexts)('is no fault of the service: $method $path', async (operation) => {
    const { method, path, body, texts, asked } = operation;
    const url = urlOf(method, path);
    const wrong: unknown[] = [];
    const send = async (sentTo: string, sent: unknown) => {
      const answer = await fetch(`http://127.0.0.1:${service().apiPort}${sentTo}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(sent) }),
      });
      if (answer.status >= 500) wrong.push({ sentTo, sent, answer: await answer.text() });
      // A stream has no end.
      else await answer.body?.cancel();
    };
    for (const text of sampleOf(noNames, 3)) {
      for (const { in: where, name } of asked) {
        const written = encodeURIComponent(text);
        const inPath = path.replace(`{${name}}`, written).replace(/\{\w+\}/g, '1');
        await send(where === 'path' ? inPath : `${url}?${name}=${written}`, body);
      }
      for (const place of texts) await send(url, withValue(body, place, text));
    }
    expect(wrong).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  type JsonObject,
  openapiDocument,
  openapiJson,
  openapiYaml,
} from '../src/contract/openapi.ts';
import { routes } from '../src/contract/routes.ts';

const root = new URL('../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const document = openapiDocument(version);

describe('the specification', () => {
  it('is checked in as it is printed (node scripts/openapi.ts)', () => {
    expect(openapiJson(version)).toBe(readFileSync(new URL('spec/openapi.json', root), 'utf8'));
  });

  it('says the same as YAML', () => {
    expect(parse(openapiYaml(version))).toEqual(JSON.parse(openapiJson(version)));
  });

  it('refers only to shapes it has', () => {
    const text = JSON.stringify(document);
    const shapes = Object.keys((document.components as { schemas: JsonObject }).schemas);
    const referred = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]));
    for (const reference of referred) {
      expect(shapes.map((name) => `#/components/schemas/${name}`)).toContain(reference);
    }
    expect(referred.size).toBe(shapes.length);
    expect(text).not.toContain('$defs');
  });

  it('marks the paths of the earlier shape as deprecated', () => {
    const paths = document.paths as Record<string, Record<string, { deprecated?: boolean }>>;
    expect(paths['/notify/zones']!.post!.deprecated).toBe(true);
    expect(paths['/zones/{zone_name}/records/bulk']!.post!.deprecated).toBe(true);
    expect(paths['/records/bulk']!.post!.deprecated).toBeUndefined();
  });

  it('shows defaults and ranges of pages', () => {
    const paths = document.paths as Record<string, Record<string, { parameters: JsonObject[] }>>;
    const limit = paths['/zones']!.get!.parameters.find(({ name }) => name === 'limit');
    expect(limit).toEqual({
      name: 'limit',
      in: 'query',
      required: false,
      schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 1000, default: 50 },
    });
  });
});

describe.each(routes.map((route) => [route.id, route] as const))('%s', (_, route) => {
  it('has examples that fit its schemas', () => {
    const { request, response } = route.examples ?? {};
    if (request !== undefined) v.parse(route.body, request);
    if (response !== undefined) v.parse(route.success.schema, response);
    if (route.takesBody === 'always') expect(request).toBeDefined();
  });
});

import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
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

interface Operation {
  readonly requestBody?: { readonly content: Record<string, JsonObject> };
  readonly responses: Record<string, { readonly content?: Record<string, JsonObject> }>;
  readonly parameters?: readonly JsonObject[];
}

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

  it('is valid OpenAPI 3.1 in the opinion of a public validator, as JSON and as YAML', async () => {
    for (const text of [openapiJson(version), openapiYaml(version)]) {
      const validator = new Validator();
      expect(await validator.validate(text)).toEqual({ valid: true });
      expect(validator.version).toBe('3.1');
    }
    // The validator does see what is wrong.
    const broken = { ...document, paths: { '/zones': { get: { parameters: 'none' } } } };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it('shows an example of every answer, refusal, body and parameter of a path', () => {
    const missing: string[] = [];
    for (const [path, operations] of Object.entries(document.paths as JsonObject)) {
      for (const [method, operation] of Object.entries(operations as JsonObject)) {
        const { requestBody, responses, parameters = [] } = operation as Operation;
        const contents = [requestBody, ...Object.values(responses)].flatMap((part) =>
          Object.values(part?.content ?? {}),
        );
        const inPath = parameters.filter((parameter) => parameter.in === 'path');
        const without = [...contents, ...inPath].filter(
          (part) => !('example' in part) && !('examples' in part),
        );
        if (without.length > 0) missing.push(`${method} ${path}: ${JSON.stringify(without)}`);
      }
    }
    expect(missing).toEqual([]);
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
    expect(response).toBeDefined();
    v.parse(route.success.schema, response);
    for (const { example } of route.otherAnswers) v.parse(route.success.schema, example);
    if (route.takesBody !== 'never') expect(request).toBeDefined();
  });
});

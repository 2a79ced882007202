import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openapiDocument, openapiJson, openapiYaml } from '../src/contract/openapi.ts';
import type { JsonObject } from '../src/contract/openapi-headers.ts';
import { actions } from '../src/base/action.ts';
import { statusOfCode } from '../src/base/problem.ts';
import { warningCodes } from '../src/base/warning.ts';
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
  it('is checked in as it is printed (npm run openapi)', () => {
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
    const { responses: shared } = document.components as {
      responses: Record<string, { content: Record<string, JsonObject> }>;
    };
    for (const [name, { content }] of Object.entries(shared)) {
      if (!Object.values(content).every((part) => 'examples' in part)) missing.push(name);
    }
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
    const shared = document.components as Record<string, JsonObject>;
    const shapes = ['schemas', 'responses', 'headers', 'parameters'].flatMap((kind) =>
      Object.keys(shared[kind]!).map((name) => `#/components/${kind}/${name}`),
    );
    const referred = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]));
    for (const reference of referred) {
      expect(shapes).toContain(reference);
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

describe('bodies, answers and refusals', () => {
  const shared = document.components as Record<string, Record<string, JsonObject>>;
  const operations = Object.values(document.paths as JsonObject).flatMap((path) =>
    Object.values(path as Record<string, Operation>),
  );
  const resolved = (answer: JsonObject): JsonObject => {
    const name = String(answer.$ref ?? '')
      .split('/')
      .at(-1)!;
    return '$ref' in answer ? shared.responses![name]! : answer;
  };

  it('are shapes with a name', () => {
    const unnamed: unknown[] = [];
    for (const { requestBody, responses } of operations) {
      for (const part of [requestBody, ...Object.values(responses)]) {
        for (const { schema } of Object.values(part?.content ?? {}) as { schema: JsonObject }[]) {
          if (schema.properties !== undefined) unnamed.push(schema);
        }
      }
    }
    expect(unnamed).toEqual([]);
  });

  it('say which headers they have', () => {
    const needed: Record<string, string> = {
      401: 'WWW-Authenticate',
      405: 'Allow',
      415: 'Accept-Encoding',
      429: 'Retry-After',
      503: 'Retry-After',
    };
    for (const { responses } of operations) {
      expect(Object.keys(responses)).toContain('405');
      for (const [status, answer] of Object.entries(responses)) {
        const headers = Object.keys(resolved(answer as JsonObject).headers as JsonObject);
        expect(headers).toEqual(expect.arrayContaining(['Cache-Control', 'X-Request-Id']));
        if (needed[status] !== undefined) expect(headers).toContain(needed[status]);
        if (status === '304') expect(headers).toContain('ETag');
      }
    }
  });

  it('have codes and actions of closed lists', () => {
    expect(shared.schemas!.ErrorCode!.enum).toEqual(Object.keys(statusOfCode));
    expect(shared.schemas!.Action!.enum).toEqual(actions);
    expect((shared.schemas!.Warning!.properties as Record<string, JsonObject>).code!.enum).toEqual(
      warningCodes,
    );
  });
});

describe('tags and servers', () => {
  it('are declared', () => {
    const declared = (document.tags as { name: string }[]).map(({ name }) => name);
    const used = new Set(routes.map(({ tag }) => tag));
    expect([...used].sort()).toEqual(declared.sort());
    expect(document.servers).toHaveLength(1);
  });
});

describe.each(routes.map((route) => [route.id, route] as const))('%s', (_, route) => {
  it('has examples that fit its schemas', () => {
    const { exampleBody: request, exampleAnswer: response } = route;
    if (request !== undefined) v.parse(route.body, request);
    expect(response).toBeDefined();
    v.parse(route.success.schema, response);
    for (const { example } of route.otherAnswers ?? []) v.parse(route.success.schema, example);
    if (route.takesBody !== 'never') expect(request).toBeDefined();
  });
});

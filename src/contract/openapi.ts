/**
 * The OpenAPI 3.1 document, printed from the routes.
 *
 * Schemas are converted by @valibot/to-json-schema; this file only puts paths, parameters and
 * answers around them. The document is checked in as spec/openapi.json and a test compares both.
 */
import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { stringify } from 'yaml';
import { type ProblemCode, statusOfCode } from '../base/problem.ts';
import { components } from './components.ts';
import { dryRunExample, exampleParameter, refusalExamples } from './openapi-examples.ts';
import { hasDryRun, pathParameters, problemsOf, type Route } from './route.ts';
import { routes } from './routes.ts';

export type JsonObject = { [key: string]: unknown };

const conversion: ConversionConfig = {
  target: 'draft-2020-12',
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
};

/** Schema of a body or answer; named shapes become references. */
function schemaOf(schema: v.GenericSchema, typeMode: 'input' | 'output'): JsonObject {
  const converted = toJsonSchema(schema, { ...conversion, typeMode, definitions: components });
  const { $schema: _, $defs: __, ...rest } = converted as JsonObject;
  return rest;
}

function contentOf(schema: JsonObject, example: unknown, type = 'application/json'): JsonObject {
  return { [type]: { schema, ...(example === undefined ? {} : { example }) } };
}

/** Path parameters that are numbers. */
const integerNames: ReadonlySet<string> = new Set(['id', 'serial']);

const etagRule = 'Zone id and serial, like "1-7".';

function headersOf(route: Route): JsonObject[] {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  });
  return [
    ...(route.tagged ? [header('If-None-Match', 'ETag for which 304 is answered.')] : []),
    ...(route.conditional
      ? [header('If-Match', `ETag the zone must still have, else 412. ${etagRule}`)]
      : []),
  ];
}

function parametersOf(route: Route): JsonObject[] {
  const inPath = pathParameters(route.path).map((name) => {
    const example = exampleParameter(route.path, name);
    return {
      name,
      in: 'path',
      required: true,
      ...(example === undefined ? {} : { example }),
      schema: integerNames.has(name) ? { type: 'integer', format: 'int32' } : { type: 'string' },
    };
  });
  const inQuery = Object.entries(route.query.entries).map(([name, entry]) => {
    const schema = entry as v.GenericSchema & { default?: unknown };
    const { description, default: _, ...shape } = schemaOf(schema, 'output');
    if (schema.default !== undefined) shape.default = v.parse(schema, undefined);
    return {
      name,
      in: 'query',
      required: !v.is(schema, undefined),
      ...(description === undefined ? {} : { description }),
      schema: shape,
    };
  });
  return [...inPath, ...inQuery, ...headersOf(route)];
}

/** One answer per status, naming the codes that lead to it. */
function refusals(route: Route): JsonObject {
  const codesByStatus = new Map<number, ProblemCode[]>();
  for (const code of problemsOf(route)) {
    const codes = codesByStatus.get(statusOfCode[code]) ?? [];
    codesByStatus.set(statusOfCode[code], [...codes, code]);
  }
  const answers: JsonObject = {};
  for (const [status, codes] of [...codesByStatus].sort(([a], [b]) => a - b)) {
    answers[status] = {
      description: codes.join(', '),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: refusalExamples(codes, route),
        },
      },
    };
  }
  return answers;
}

function answersOf(route: Route): JsonObject {
  const { status, description, schema, mediaType } = route.success;
  const shape = schemaOf(schema, 'output');
  const answerLike = (example: unknown) => contentOf(shape, example, mediaType);
  const answers: JsonObject = {};
  const example = route.examples?.response;
  if (status === 201 && hasDryRun(route)) {
    answers[200] = {
      description: 'Dry run: what would be.',
      content: answerLike(dryRunExample(example)),
    };
  }
  const headers = { ETag: { description: etagRule, schema: { type: 'string' } } };
  answers[status] = {
    description,
    content: answerLike(example),
    ...(route.tagged ? { headers } : {}),
  };
  if (route.tagged) answers[304] = { description: 'What If-None-Match names is current.' };
  for (const other of route.otherAnswers) {
    const content = answerLike(other.example);
    answers[other.status] = { description: other.description, content };
  }
  return { ...answers, ...refusals(route) };
}

function operationOf(route: Route): JsonObject {
  const parameters = parametersOf(route);
  const action = route.action === undefined ? '' : `Needs: ${route.action}.`;
  const description = [route.description ?? '', action].filter((part) => part !== '').join('\n\n');
  return {
    operationId: route.id,
    tags: route.tags,
    summary: route.summary,
    ...(description === '' ? {} : { description }),
    ...(route.deprecated ? { deprecated: true } : {}),
    ...(route.auth === 'none' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.takesBody === 'never'
      ? {}
      : {
          requestBody: {
            required: route.takesBody === 'always',
            content: contentOf(schemaOf(route.body, 'input'), route.examples?.request),
          },
        }),
    responses: answersOf(route),
  };
}

/** The whole document for a version of the service. */
export function openapiDocument(version: string): JsonObject {
  const paths: { [path: string]: JsonObject } = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Zonebook',
      version,
      description: 'Zones, records and access of an authoritative DNS service.',
    },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: toJsonSchemaDefs(components, { ...conversion, typeMode: 'input' }),
    },
  };
}

/** The document as text, the same on every machine. */
export function openapiJson(version: string): string {
  return `${JSON.stringify(openapiDocument(version), null, 2)}\n`;
}

export function openapiYaml(version: string): string {
  return stringify(openapiDocument(version), { aliasDuplicateObjects: false });
}

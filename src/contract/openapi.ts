/**
 * The OpenAPI 3.1 document, printed from the routes.
 *
 * Schemas are converted by @valibot/to-json-schema; this file only puts paths, parameters and
 * answers around them. The document is checked in as spec/openapi.json and a test compares both.
 */
import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { stringify } from 'yaml';
import { limits } from '../base/limits.ts';
import { type ProblemCode, statusOfCode } from '../base/problem.ts';
import { action, role, roleGrant, token, tsigKey } from './access.ts';
import { dnssecPolicy } from './dnssec-policies.ts';
import { delegation, dnssecStatus, dsRecord, signingKey } from './dnssec-status.ts';
import { importReport } from './exchange.ts';
import { externalRecord, externalRecordInput } from './external-dns.ts';
import { errorBody, errorCode, message, pagination, recordValue } from './fields.ts';
import { historyEntry } from './history.ts';
import { dryRunExample, exampleParameter, examplesOfProblems } from './openapi-examples.ts';
import {
  type HeaderName,
  headerParametersOf,
  headers,
  headersOfAnswer,
  type JsonObject,
  parameters,
} from './openapi-headers.ts';
import { diffEntry, diffValue, record, recordDiff, recordInput } from './records.ts';
import {
  canWait,
  hasDryRun,
  neededAction,
  needsToken,
  pathParameters,
  problemsOf,
  type Route,
  tags,
} from './route.ts';
import { routes } from './routes.ts';
import { probeResult, secondary, transferEntry, transferSummary } from './secondaries.ts';
import { sessionCookie } from './sessions.ts';
import { zoneVersion } from './versions.ts';
import { warning, warnings } from './warning.ts';
import { webhook } from './webhooks.ts';
import { deletedZone, zone } from './zones.ts';

const conversion: ConversionConfig = {
  target: 'draft-2020-12',
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
};

/** Shapes with a name of their own in the specification. */
export const components = {
  Zone: zone,
  DeletedZone: deletedZone,
  ZoneVersion: zoneVersion,
  HistoryEntry: historyEntry,
  ImportReport: importReport,
  Record: record,
  RecordInput: recordInput,
  RecordValue: recordValue,
  RecordDiff: recordDiff,
  RecordDiffEntry: diffEntry,
  RecordDiffValue: diffValue,
  Warning: warning,
  Warnings: warnings,
  ExternalRecord: externalRecord,
  ExternalRecordInput: externalRecordInput,
  Webhook: webhook,
  Secondary: secondary,
  ProbeResult: probeResult,
  TransferEntry: transferEntry,
  TransferSummary: transferSummary,
  Role: role,
  RoleGrant: roleGrant,
  Token: token,
  TsigKey: tsigKey,
  DnssecPolicy: dnssecPolicy,
  DnssecStatus: dnssecStatus,
  SigningKey: signingKey,
  DsRecord: dsRecord,
  Delegation: delegation,
  Pagination: pagination,
  Message: message,
  Action: action,
  ErrorCode: errorCode,
  Error: errorBody,
};

/**
 * Shapes with a name: those of `components`, then bodies and answers that have none yet, by the first operation
 * that has them. A text is not worth one.
 */
const named: Readonly<Record<string, v.GenericSchema>> = (() => {
  const shapes: Record<string, v.GenericSchema> = { ...components };
  const known = new Set<v.GenericSchema>(Object.values(shapes));
  const add = (name: string, shape: v.GenericSchema) => {
    if (known.has(shape) || !('entries' in shape)) return;
    known.add(shape);
    shapes[name] = shape;
  };
  for (const route of routes) {
    const name = `${route.id.charAt(0).toUpperCase()}${route.id.slice(1)}`;
    if (route.takesBody !== 'never') add(`${name}Body`, route.body);
    add(`${name}Answer`, route.success.schema);
  }
  return shapes;
})();

/** Schema of a body or answer; named shapes become references. */
function schemaOf(schema: v.GenericSchema, typeMode: 'input' | 'output'): JsonObject {
  const converted = toJsonSchema(schema, { ...conversion, typeMode, definitions: named });
  const { $schema: _, $defs: __, ...rest } = converted as JsonObject;
  return rest;
}

function contentOf(schema: JsonObject, example: unknown, type = 'application/json'): JsonObject {
  return { [type]: { schema, ...(example === undefined ? {} : { example }) } };
}

/** Path parameters that are numbers. */
const integerNames: ReadonlySet<string> = new Set(['id', 'seq', 'serial']);

/** Ids and serials; a negative id is none that anything has. */
function integerOfPath(name: string): JsonObject {
  const minimum = name === 'id' ? -2_147_483_648 : 0;
  return { type: 'integer', format: 'int32', minimum, maximum: limits.id };
}

function parametersOf(route: Route): JsonObject[] {
  const inPath = pathParameters(route.path).map((name) => {
    const example = exampleParameter(route.path, name);
    return {
      name,
      in: 'path',
      required: true,
      ...(example === undefined ? {} : { example }),
      schema: integerNames.has(name) ? integerOfPath(name) : { type: 'string' },
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
  return [...inPath, ...inQuery, ...headerParametersOf(route)];
}

/** One answer per status, naming the codes that lead to it. */
function problemResponses(route: Route): JsonObject {
  const answers: JsonObject = {};
  for (const [status, codes] of codesByStatus(route)) {
    const namesItems = route.itemList !== undefined && codes.some(ofOperation(route));
    answers[status] = namesItems
      ? problemResponse(status, codes, route)
      : { $ref: `#/components/responses/${problemName(codes)}` };
  }
  return answers;
}

function codesByStatus(route: Route): [number, ProblemCode[]][] {
  const codes = Map.groupBy(problemsOf(route).sort(), (code) => statusOfCode[code]);
  return [...codes].sort(([a], [b]) => a - b);
}

function ofOperation({ problems = [] }: Route): (code: ProblemCode) => boolean {
  return (code) => problems.includes(code);
}

function problemName(codes: readonly ProblemCode[]): string {
  return codes.join('.');
}

function problemResponse(
  status: number,
  codes: readonly ProblemCode[],
  route: Pick<Route, 'itemList' | 'problems'>,
): JsonObject {
  return {
    description: codes.join(', '),
    headers: headersOfAnswer(status),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: examplesOfProblems(codes, route),
      },
    },
  };
}

const noItems = { problems: [] };

/** The refusals that operations share, and no other. */
function usedProblems(paths: JsonObject): JsonObject {
  const used = JSON.stringify(paths);
  const shared: JsonObject = {};
  for (const [status, codes] of routes.flatMap(codesByStatus)) {
    const name = problemName(codes);
    if (!used.includes(`/responses/${name}"`)) continue;
    shared[name] ??= problemResponse(status, codes, noItems);
  }
  return shared;
}

function answersOf(route: Route): JsonObject {
  const { status, description, schema, mediaType } = route.success;
  const shape = schemaOf(schema, 'output');
  const answerLike = (example: unknown) => contentOf(shape, example, mediaType);
  const answers: JsonObject = {};
  const tag: HeaderName[] = route.tagged ? ['ETag'] : [];
  const applied: HeaderName[] = canWait(route) ? ['Preference-Applied'] : [];
  const own = [...tag, ...applied];
  const example = route.exampleAnswer;
  if (status === 201 && hasDryRun(route)) {
    answers[200] = {
      description: 'Dry run: what would be.',
      headers: headersOfAnswer(200, own),
      content: answerLike(dryRunExample(example)),
    };
  }
  const content = answerLike(example);
  for (const [type, text] of Object.entries(route.otherMediaTypes ?? {})) {
    Object.assign(content, contentOf(shape, text, type));
  }
  answers[status] = { description, headers: headersOfAnswer(status, own), content };
  if (route.tagged) {
    const description = 'What If-None-Match names is current.';
    answers[304] = { description, headers: headersOfAnswer(304, tag) };
  }
  for (const other of route.otherAnswers ?? []) {
    const headers = headersOfAnswer(other.status, applied);
    const content = answerLike(other.example);
    answers[other.status] = { description: other.description, headers, content };
  }
  return { ...answers, ...problemResponses(route) };
}

function operationOf(route: Route): JsonObject {
  const parameters = parametersOf(route);
  const needed = neededAction(route);
  const action = needed === undefined ? '' : `Needs: ${needed}.`;
  const description = [route.description ?? '', action].filter((part) => part !== '').join('\n\n');
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    ...(description === '' ? {} : { description }),
    ...(route.deprecated ? { deprecated: true } : {}),
    ...(needsToken(route) ? {} : { security: [] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.takesBody === 'never'
      ? {}
      : {
          requestBody: {
            required: route.takesBody === 'always',
            content: contentOf(schemaOf(route.body, 'input'), route.exampleBody),
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
      contact: { name: 'The operator of this service' },
      license: { name: 'Not licensed to others', identifier: 'LicenseRef-UNLICENSED' },
    },
    servers: [{ url: '/', description: 'This service.' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ bearer: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, session: sessionCookie },
      headers,
      parameters,
      responses: usedProblems(paths),
      schemas: toJsonSchemaDefs(named, { ...conversion, typeMode: 'input' }),
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

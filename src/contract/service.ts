/** The service itself, open to everyone (interface 4.1). */
import * as v from 'valibot';
import { storageProblemKinds } from '../base/storage-problem.ts';
import { described, text } from './fields.ts';
import { answers, defineRoute, resource } from './route.ts';

const known =
  'Only while it is unhealthy, at the local socket or with a token, where it is known: ';

export const health = v.object({
  status: v.picklist(['healthy', 'unhealthy']),
  storage: described(
    v.exactOptional(v.picklist(storageProblemKinds)),
    `${known}what is the matter with the storage.`,
  ),
  reason: described(v.exactOptional(text), `${known}the same in words.`),
  what_to_do: described(v.exactOptional(text), `${known}what ends it.`),
});

const unhealthy = {
  status: 'unhealthy',
  storage: 'full',
  reason: 'the disk of the database is full',
  what_to_do: 'make room on the disk of the data folder: writes go on by themselves then',
};

const trouble = v.object({
  text: described(v.string(), 'What is wrong, in a sentence.'),
  what_to_do: v.string(),
  metric: described(v.string(), 'The metric that says it.'),
});

const exampleTrouble = {
  text: 'A secondary serves other records of 1 zone.',
  what_to_do: 'zonebook secondary check NAME ZONE lists them.',
  metric: 'zonebook_secondary_content_differs',
};

export const troubles = v.object({ items: v.array(trouble) });

/** Text for other programs: metrics, the specification in YAML. */
export const textBody = v.string();

/** The specification describes itself as any object. */
const anyObject = v.record(v.string(), v.unknown());
const open = { admission: { by: 'anyone' } } as const;

const specification = {
  ...open,
  option: 'openapiEnabled',
  description: 'Served when api.openapi_enabled is on.',
} as const;

/** How the document begins; a whole one would hold itself. */
const opening = { openapi: '3.1.0', info: { title: 'Zonebook', version: '1.0.0' } };

export const serviceRoutes = resource('service', {
  getHealth: defineRoute('GET /health', {
    ...open,
    summary: 'Health for probes',
    description:
      'Runs a minimal database query; 503 with the same shape when it fails, and while the disk can not ' +
      'be written or read.',
    ...answers(200, 'Healthy.', health, { status: 'healthy' }),
    otherAnswers: [{ status: 503, description: 'Unhealthy.', example: unhealthy }],
  }),

  getMetrics: defineRoute('GET /metrics', {
    ...open,
    option: 'metricsEnabled',
    summary: 'Metrics for Prometheus',
    description: 'Served when api.metrics_enabled is on.',
    ...answers(
      200,
      'Text exposition format.',
      textBody,
      '# HELP zonebook_zones_total Zones stored.\n' +
        '# TYPE zonebook_zones_total gauge\nzonebook_zones_total 2\n',
      'text/plain',
    ),
    problems: ['ENDPOINT_NOT_FOUND'],
  }),

  getTroubles: defineRoute('GET /health/troubles', {
    ...open,
    option: 'metricsEnabled',
    summary: 'What the service knows to be wrong with itself, by its metrics',
    description: 'Served when api.metrics_enabled is on. Empty while nothing is known to be wrong.',
    ...answers(200, 'Each with what to do about it.', troubles, { items: [exampleTrouble] }),
    problems: ['ENDPOINT_NOT_FOUND'],
  }),

  getOpenapiJson: defineRoute('GET /openapi.json', {
    ...specification,
    summary: 'This specification as JSON',
    ...answers(200, 'OpenAPI 3.1.', anyObject, opening),
  }),

  getOpenapiYaml: defineRoute('GET /openapi.yaml', {
    ...specification,
    summary: 'This specification as YAML',
    ...answers(200, 'OpenAPI 3.1.', anyObject, opening, 'application/yaml'),
  }),

  getDocs: defineRoute('GET /docs', {
    ...specification,
    summary: 'This specification as a page to browse',
    ...answers(200, 'A page.', textBody, '<!doctype html>', 'text/html'),
  }),

  /** The names are those that the page asks for. */
  getDocsFile: defineRoute('GET /docs/{file}', {
    ...specification,
    summary: 'Script, style and icon of the page',
    ...answers(200, 'A file.', textBody, '.swagger-ui {}', '*/*'),
  }),
});

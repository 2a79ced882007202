/** The service itself, open to everyone (interface 4.1). */
import * as v from 'valibot';
import { defineRoute, noFields, resource } from './route.ts';

const health = v.object({ status: v.picklist(['healthy', 'unhealthy']) });

/** Text for other programs: metrics, the specification in YAML. */
export const plainText = v.string();

/** The specification describes itself as any object. */
const anyObject = v.record(v.string(), v.unknown());
const open = {
  tags: ['service'],
  auth: 'none',
  query: noFields,
  admission: { by: 'anyone' },
} as const;

const specification = {
  ...open,
  option: 'openapiEnabled',
  description: 'Served when api.openapi_enabled is on.',
  problems: ['ENDPOINT_NOT_FOUND'],
  admission: { by: 'anyone' },
} as const;

/** How the document begins; a whole one would hold itself. */
const opening = { openapi: '3.1.0', info: { title: 'Zonebook', version: '1.0.0' } };

export const serviceRoutes = resource({
  getHealth: defineRoute('GET /health', {
    ...open,
    summary: 'Health for probes',
    description:
      'Runs a minimal database query; 503 with the same shape when it fails, and while the disk can not ' +
      'be written or read.',
    success: { status: 200, description: 'Healthy.', schema: health },
    otherAnswers: [{ status: 503, description: 'Unhealthy.', example: { status: 'unhealthy' } }],
    problems: [],
    examples: { response: { status: 'healthy' } },
  }),

  getMetrics: defineRoute('GET /metrics', {
    ...open,
    option: 'metricsEnabled',
    summary: 'Metrics for Prometheus',
    description: 'Served when api.metrics_enabled is on.',
    success: {
      status: 200,
      description: 'Text exposition format.',
      schema: plainText,
      mediaType: 'text/plain',
    },
    problems: ['ENDPOINT_NOT_FOUND'],
    examples: {
      response:
        '# HELP zonebook_zones_total Zones stored.\n' +
        '# TYPE zonebook_zones_total gauge\nzonebook_zones_total 2\n',
    },
  }),

  getOpenapiJson: defineRoute('GET /openapi.json', {
    ...specification,
    summary: 'This specification as JSON',
    success: { status: 200, description: 'OpenAPI 3.1.', schema: anyObject },
    examples: { response: opening },
  }),

  getOpenapiYaml: defineRoute('GET /openapi.yaml', {
    ...specification,
    summary: 'This specification as YAML',
    success: {
      status: 200,
      description: 'OpenAPI 3.1.',
      schema: anyObject,
      mediaType: 'application/yaml',
    },
    examples: { response: opening },
  }),

  getDocs: defineRoute('GET /docs', {
    ...specification,
    summary: 'This specification as a page to browse',
    success: { status: 200, description: 'A page.', schema: plainText, mediaType: 'text/html' },
    examples: { response: '<!doctype html>' },
  }),

  /** The names are those that the page asks for. */
  getDocsFile: defineRoute('GET /docs/{file}', {
    ...specification,
    summary: 'Script, style and icon of the page',
    success: { status: 200, description: 'A file.', schema: plainText, mediaType: '*/*' },
    examples: { response: '.swagger-ui {}' },
  }),
});

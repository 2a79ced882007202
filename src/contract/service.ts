/** Operations about the service itself, open to everyone (interface 4.1). */
import { defineRoute, noFields } from './route.ts';
import { anyObject, health, plainText } from './schemas/service.ts';

const open = { tags: ['service'], auth: 'none', query: noFields } as const;

export const getHealth = defineRoute({
  ...open,
  id: 'getHealth',
  method: 'GET',
  path: '/health',
  summary: 'Health for probes',
  description: 'Runs a minimal database query; 503 with the same shape when it fails.',
  success: { status: 200, description: 'Healthy.', schema: health },
  problems: [],
  examples: { response: { status: 'healthy' } },
});

export const getMetrics = defineRoute({
  ...open,
  id: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics for Prometheus',
  description: 'Served when api.metrics_enabled is on.',
  success: {
    status: 200,
    description: 'Text exposition format.',
    schema: plainText,
    mediaType: 'text/plain',
  },
  problems: [],
});

const specification = {
  ...open,
  method: 'GET',
  description: 'Served when api.openapi_enabled is on.',
  problems: [],
} as const;

export const getOpenapiJson = defineRoute({
  ...specification,
  id: 'getOpenapiJson',
  path: '/openapi.json',
  summary: 'This specification as JSON',
  success: { status: 200, description: 'OpenAPI 3.1.', schema: anyObject },
});

export const getOpenapiYaml = defineRoute({
  ...specification,
  id: 'getOpenapiYaml',
  path: '/openapi.yaml',
  summary: 'This specification as YAML',
  success: {
    status: 200,
    description: 'OpenAPI 3.1.',
    schema: plainText,
    mediaType: 'application/yaml',
  },
});

export const serviceRoutes = [getHealth, getMetrics, getOpenapiJson, getOpenapiYaml] as const;

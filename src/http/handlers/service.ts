/** Handlers of the service's own operations (interface 4.1). */

import { openapiJson, openapiYaml } from '../../contract/openapi.ts';
import { serviceRoutes } from '../../contract/service.ts';
import { type Answer, json, jsonType } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import type { HandlerServices } from '../services.ts';
import { docsEndpoints } from './docs.ts';

const health = endpoint(serviceRoutes.getHealth, ({ view }, { log, storage }) => {
  try {
    view.zones.requireDatabase();
    if (!storage.isHealthy) return json(503, { status: 'unhealthy' });
    return json(200, { status: 'healthy' });
  } catch (error) {
    if (!storage.noted(error)) log.error('http.unhealthy', { error });
    return json(503, { status: 'unhealthy' });
  }
});

const metrics = endpoint(serviceRoutes.getMetrics, async (_, services) => {
  const { contentType } = services.metrics;
  return { status: 200, mediaType: contentType, body: await services.metrics.render() };
});

/** The specification does not change while the service runs, so it is printed once. */
function specification(services: HandlerServices): Endpoint[] {
  const { version } = services;
  const asJson = printedOnce(jsonType, () => openapiJson(version));
  const asYaml = printedOnce('application/yaml', () => openapiYaml(version));
  return [
    endpoint(serviceRoutes.getOpenapiJson, asJson),
    endpoint(serviceRoutes.getOpenapiYaml, asYaml),
  ];
}

function printedOnce(mediaType: string, print: () => string): () => Answer {
  let answer: Answer | undefined;
  return () => {
    answer ??= { status: 200, mediaType, body: print() };
    return answer;
  };
}

/** What is switched off has no path at all. */
export function serviceEndpoints(services: HandlerServices): readonly Endpoint[] {
  const { metricsEnabled, openapiEnabled } = services.options;
  return [
    health,
    ...(metricsEnabled ? [metrics] : []),
    ...(openapiEnabled ? [...specification(services), ...docsEndpoints] : []),
  ];
}

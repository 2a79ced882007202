/**
 * The service's own operations (interface 4.1), and the specification as a page to browse: Swagger UI from its package,
 * given the address of the document.
 *
 * Everything of the page comes from this service and its policy lets a browser ask nobody else, so it
 * works without a network and lets no other host know what is looked at. Links are relative: the page also
 * works behind a proxy that puts it under a path of its own.
 */
import { readAsset } from '../base/assets.ts';
import { Problem } from '../base/problem.ts';
import { storageProblemOf } from '../base/storage-problem.ts';
import { openapiJson, openapiYaml } from '../contract/openapi.ts';
import { serviceRoutes, troubles } from '../contract/service.ts';
import { troublesOf } from '../telemetry/troubles.ts';
import { type Answer, json, jsonType } from './answer.ts';
import { type Endpoint, endpoints } from './endpoint.ts';
import { presenter } from './fields.ts';

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Zonebook: HTTP interface</title>
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <noscript>This page needs JavaScript; the document itself is openapi.json.</noscript>
    <div id="page"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/** No validatorUrl: the badge it shows would be asked of a foreign host. */
const startScript = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#page',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'none',
  validatorUrl: null,
});
`;

/** Icons are data URLs within the style sheet; everything else is asked of this service. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'Content-Security-Policy': contentPolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
};

/** The files do not change while the service runs; a newer one may bring others. */
const fileHeaders = { 'Cache-Control': 'max-age=3600' };

/** An answer that does not change while the service runs. It is made once: all who are sent it share its bytes. */
function fixed(
  mediaType: string,
  make: () => string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): () => Answer {
  let answer: Answer | undefined;
  return () => {
    if (answer === undefined) {
      const bytes = Buffer.from(make());
      const length = { 'Content-Length': String(bytes.length) };
      answer = { status: 200, mediaType, body: [bytes], headers: { ...length, ...headers } };
    }
    return answer;
  };
}

function fromPackage(name: string, mediaType: string): [string, () => Answer] {
  const read = () => readAsset(`node_modules/swagger-ui-dist/${name}`);
  return [name, fixed(mediaType, read, fileHeaders)];
}

const files: ReadonlyMap<string, () => Answer> = new Map([
  fromPackage('swagger-ui.css', 'text/css; charset=utf-8'),
  fromPackage('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
  fromPackage('favicon-32x32.png', 'image/png'),
  ['start.js', fixed('text/javascript; charset=utf-8', () => startScript, fileHeaders)],
]);

const presentTroubles = presenter(troubles);

export function serviceEndpoints(version: string): readonly Endpoint[] {
  const asJson = fixed(jsonType, () => openapiJson(version));
  const asYaml = fixed('application/yaml', () => openapiYaml(version));

  return endpoints(serviceRoutes, {
    async getHealth({ view, exchange }, { log, storage }) {
      let problem: ReturnType<typeof storageProblemOf>;
      try {
        view.zones.requireDatabase();
        problem = storage.problem;
        if (problem === undefined) return json(200, { status: 'healthy' });
      } catch (error) {
        if (!storage.reportRead(error)) log.error('http.unhealthy', { error });
        problem = storageProblemOf(error);
      }
      const status = 'unhealthy';
      if (problem === undefined || !(await exchange.isKnown())) return json(503, { status });
      const { kind, message, remedy } = problem;
      return json(503, { status, storage: kind, reason: message, what_to_do: remedy });
    },

    async getMetrics(_, services) {
      const { contentType } = services.metrics;
      return { status: 200, mediaType: contentType, body: await services.metrics.render() };
    },

    async getTroubles(_, { metrics }) {
      return json(200, presentTroubles({ items: troublesOf(await metrics.values()) }));
    },

    getOpenapiJson: asJson,
    getOpenapiYaml: asYaml,

    getDocs: fixed('text/html; charset=utf-8', () => page, pageHeaders),

    getDocsFile({ params }) {
      const file = files.get(params.file);
      if (file === undefined) {
        const name = params.file.slice(0, 100);
        throw new Problem('ENDPOINT_NOT_FOUND', `there is no /docs/${name} here`);
      }
      return file();
    },
  });
}

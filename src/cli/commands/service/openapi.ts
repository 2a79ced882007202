/**
 * `openapi`: the specification of the HTTP interface.
 *
 * It is the one of this program, which needs no service; with `--url` it is that service's own, which
 * may be of another version and has it only when api.openapi_enabled is set.
 */
import { defineCommand } from '../../command.ts';

export const openapi = defineCommand({
  usage: 'openapi',
  summary: 'Print the specification of the HTTP interface (OpenAPI 3.1)',
  examples: [
    ['zonebook openapi > openapi.json', 'as JSON'],
    ['zonebook openapi -o yaml', 'as YAML'],
  ],
  async run(_, context) {
    const { output, services } = context;
    let document: unknown;
    if (context.isRemote) {
      document = await (await context.client()).get<object>('/openapi.json');
    } else {
      const { openapiJson } = await import('../../../contract/openapi.ts');
      document = JSON.parse(openapiJson(services.version));
    }
    await output.show(document, () => JSON.stringify(document, undefined, 2));
  },
});

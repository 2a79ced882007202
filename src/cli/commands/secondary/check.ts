/** `secondary check`: POST /secondaries/{name}/check. */
import type { SecondaryCheck } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';
import { summaryLine } from './shared.ts';

export const secondaryCheck = defineCommand({
  usage: 'check <name>',
  summary: 'Try everything a secondary needs, with a real NOTIFY for the catalog zone',
  notes: 'A secondary that reads no catalog refuses it; its zones are checked by zone status.',
  examples: [['zonebook secondary check ns2', 'does it resolve, answer, and follow the catalog']],
  positionals: { name: required('name of the secondary') },
  async run({ name }, context) {
    const client = await context.client();
    const path = `/secondaries/${segment(name)}/check`;
    const answer = await client.post<SecondaryCheck>(path, undefined);
    await context.output.show(answer, () => {
      const { catalog, notifies } = answer;
      const serials = `${catalog.visible_serial ?? 'no serial'}, ours is ${answer.catalog_serial}`;
      const reason = catalog.error === null ? '' : ` (${catalog.error})`;
      return context.output.fields([
        ['secondary', `${answer.secondary.name} at ${answer.secondary.address}`],
        ['enabled', answer.secondary.enabled],
        ['addresses', answer.resolve_error ?? answer.addresses.join(', ')],
        [answer.catalog_zone_name, `${catalog.status}: ${serials}${reason}`],
        ...notifies.map(({ address, error }): [string, string] => [
          `NOTIFY to ${address}`,
          error ?? 'acknowledged',
        ]),
        ['our DNS listener', answer.listener_error ?? 'answers'],
        ['transfers', summaryLine(answer.transfers)],
      ]);
    });
  },
});

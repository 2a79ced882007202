/** `zone status`: GET /zones/{name}/status. */
import type { ZoneStatus } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';
import { domainName } from '../../name-field.ts';

const headings = ['address', 'status', 'serial', 'last_transfer', 'error'];

export const zoneStatus = defineCommand({
  usage: 'status <name>',
  summary: 'Ask every enabled secondary which serial of a zone it serves',
  examples: [['zonebook zone status example.com', 'who is in sync, and who lags behind']],
  positionals: { name: domainName(required('name of the zone')) },
  async run({ name }, context) {
    const client = await context.client();
    const answer = await client.get<ZoneStatus>(`/zones/${segment(name)}/status`);
    await context.output.show(answer, () => {
      const head = `zone ${answer.zone_name} is at serial ${answer.serial}`;
      for (const { message } of answer.warnings)
        context.services.stderr.write(`warning: ${message}\n`);
      if (answer.secondaries.length === 0) return `${head}; no enabled secondaries`;
      const rows = answer.secondaries.map((probe) => [
        probe.address,
        probe.status,
        probe.visible_serial,
        probe.last_transfer?.at,
        probe.error,
      ]);
      return `${head}\n${context.output.table(headings, rows)}`;
    });
  },
});

/** `zone version get`: GET /zones/{name}/versions/{serial}. */
import type { VersionWithRecords } from '../../../answers.ts';
import { segment } from '../../../client.ts';
import { defineCommand } from '../../../command.ts';
import { required } from '../../../field.ts';
import { domainName } from '../../../name-field.ts';
import { showValue } from '../../../value.ts';
import { changedBy } from '../../history.ts';
import { parseSerial } from './shared.ts';

export const versionGet = defineCommand({
  usage: 'get <name> <serial>',
  summary: 'Show a version with its records',
  examples: [['zonebook zone version get example.com 7', 'the zone as it was at serial 7']],
  positionals: {
    name: domainName(required('name of the zone')),
    serial: required('serial of the version'),
  },
  async run({ name, serial }, context) {
    const number = parseSerial(serial);
    const client = await context.client();
    const path = `/zones/${segment(name)}/versions/${number}`;
    const answer = await client.get<VersionWithRecords>(path);
    await context.output.show(answer, () => {
      const { version, records } = answer;
      const fields = context.output.fields([
        ['serial', version.serial],
        ['created_at', version.created_at],
        ['changed_by', changedBy(version)],
        ['mname', version.mname],
        ['rname', version.rname],
        ['default_ttl', version.default_ttl],
        ['minimum_ttl', version.minimum_ttl],
        ['refresh', version.refresh],
        ['retry', version.retry],
        ['expire', version.expire],
      ]);
      const headings = ['name', 'ttl', 'type', 'priority', 'value'];
      const rows = records.map((record) => [
        record.name,
        record.ttl,
        record.type,
        record.priority,
        showValue(record.value),
      ]);
      return `${fields}\n\n${context.output.table(headings, rows)}`;
    });
  },
});

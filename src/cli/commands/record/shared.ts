/** What commands on records share: their value, their id, and how they are shown. */
import type { DnsRecord } from '../../answers.ts';
import { usageFailure } from '../../exit-code.ts';
import { list } from '../../field.ts';
import type { Output } from '../../output.ts';
import { showValue } from '../../value.ts';

export const segmentOption = list('one segment of a TXT, instead of a value; may be repeated');

const headings = ['id', 'name', 'ttl', 'type', 'priority', 'value'] as const;

export function recordTable(records: readonly DnsRecord[], output: Output): string {
  const rows = records.map((record) => [
    record.id,
    record.name,
    record.ttl,
    record.type,
    record.priority,
    showValue(record.value),
  ]);
  return output.table(headings, rows);
}

export function parseId(written: string): number {
  if (/^\d{1,10}$/.test(written)) return Number(written);
  throw usageFailure(`'${written}' is no id of a record`, 'ids are whole numbers: see record list');
}

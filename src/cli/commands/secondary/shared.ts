/** How secondaries are shown. */
import type { Secondary, TransferSummary } from '../../answers.ts';
import type { Output } from '../../output.ts';

const headings = ['name', 'address', 'enabled', 'notify_key_name', 'created_at'];

export function secondaryTable(secondaries: readonly Secondary[], output: Output): string {
  const rows = secondaries.map((secondary) => [
    secondary.name,
    secondary.address,
    secondary.enabled,
    secondary.notify_key_name,
    secondary.created_at,
  ]);
  return output.table(headings, rows);
}

/** Transfers of all zones in one line, each zone by its latest. */
export function summaryLine(summary: TransferSummary): string {
  const { zones, axfr, ixfr_full, ixfr_delta, refused, failed } = summary;
  const parts = [
    [axfr, 'AXFR'],
    [ixfr_full, 'IXFR with the whole zone'],
    [ixfr_delta, 'IXFR with changes'],
    [refused, 'refused'],
    [failed, 'failed'],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const last = said.length === 0 ? '' : `, last by: ${said.join(', ')}`;
  return `${zones} ${zones === 1 ? 'zone' : 'zones'}${last}`;
}

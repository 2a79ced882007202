/** How secondaries are shown. */
import type { Secondary } from '../../answers.ts';
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

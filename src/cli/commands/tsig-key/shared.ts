/** How TSIG keys are shown. */
import type { TsigKey, TsigKeyWithSecret } from '../../answers.ts';
import type { Output } from '../../output.ts';

const headings = ['name', 'algorithm', 'role', 'created_at'];

export function tsigKeyTable(keys: readonly TsigKey[], output: Output): string {
  const rows = keys.map((key) => [key.name, key.algorithm, key.role_name, key.created_at]);
  return output.table(headings, rows);
}

export function tsigKeyFields(answer: TsigKeyWithSecret, output: Output): string {
  const { secret, tsig_key: key } = answer;
  return output.fields([
    ['name', key.name],
    ['id', key.id],
    ['algorithm', key.algorithm],
    ['role', key.role_name],
    ['created_at', key.created_at],
    ['secret', secret],
  ]);
}

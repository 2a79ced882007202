/** How the signing of a zone is shown. */
import type { DnssecStatus } from '../answers.ts';
import type { Output } from '../output.ts';
import type { Columns } from '../table.ts';

const keyColumns: Columns<DnssecStatus['keys'][number]> = {
  key: 'key_tag',
  role: 'role',
  state: 'state',
  algorithm: 'algorithm',
  since: 'state_changed_at',
  eligible: 'eligible_at',
};

/** What comes next. */
type NextAction = DnssecStatus['next_steps'][number];

const nextColumns: Columns<NextAction> = {
  next: ({ action }) => inWords(action),
  keys: ({ key_tags: tags }) => tags.join(', '),
  'not before': 'at',
  awaits: awaitsText,
  'blocked by': 'blocked_by',
};

export function statusText(status: DnssecStatus, output: Output): string {
  const parents = status.parent_ns_addrs.join(', ');
  if (!status.enabled) {
    const known = parents === '' ? '' : `; its parent servers are ${parents}`;
    return `zone ${status.zone_name} is not signed${known}`;
  }
  const parts = [
    output.fields([
      ['zone', `${status.zone_name} at serial ${status.serial}`],
      ['policy', policyLine(status)],
      ['signatures', signatureLine(status)],
      ['parent servers', parents],
      ...(status.withdrawing ? [['withdrawing', 'asks the parent to remove the DS'] as const] : []),
    ]),
    output.rows(keyColumns, status.keys),
    dsLines(status),
    ...(status.delegation === null ? [] : [delegationText(status.delegation, output)]),
    ...(status.next_steps.length === 0 ? [] : [output.rows(nextColumns, status.next_steps)]),
    ...status.warnings.map((warning) => `warning: ${warning}`),
  ];
  return parts.join('\n\n');
}

function policyLine({ policy }: DnssecStatus): string {
  if (policy === null) return '';
  return `${policy.name}: ${policy.algorithm}, ${policy.denial}, ${policy.split_keys ? 'KSK and ZSK' : 'one CSK'}`;
}

function signatureLine(status: DnssecStatus): string {
  const parts = [String(status.signatures)];
  if (status.expired_signatures > 0) parts.push(`${status.expired_signatures} expired`);
  if (status.future_signatures > 0) parts.push(`${status.future_signatures} not valid yet`);
  if (status.next_resign_at !== null) parts.push(`the first renewed ${status.next_resign_at}`);
  return parts.join(', ');
}

/** Lines as they stand in a zone file of the parent. */
function dsLines({ zone_name: zone, ds_records: records }: DnssecStatus): string {
  if (records.length === 0) return 'no DS for the parent yet';
  const lines = records.map(({ presentation }) => `${zone}. IN DS ${presentation}`);
  return ['DS for the parent:', ...lines].join('\n');
}

function delegationText(
  delegation: NonNullable<DnssecStatus['delegation']>,
  output: Output,
): string {
  const { ds_state: state, ds_ttl: ttl, servers, keys } = delegation;
  const head = `DS at the parent: ${state}${ttl === null ? '' : `, TTL ${ttl}`}`;
  const said = servers.map(({ address, ds_key_tags: tags, error }) => [
    address,
    error ?? (tags === null || tags.length === 0 ? 'no DS' : `DS of ${tags.join(', ')}`),
  ]);
  const named = keys.map((key) => [
    `key ${key.key_tag} (${key.role}, ${key.state})`,
    key.ds_digest_unsupported
      ? 'DS in a digest type that can not be checked'
      : key.ds_published
        ? 'DS at every server'
        : 'DS not at every server',
  ]);
  return `${head}\n${output.fields([...said, ...named] as [string, string][])}`;
}

/** `ds_at_all_parents` is `DS at all parents`. */
function inWords(name: string): string {
  const shorts = /\b(?:ds|cds|zsk)\b/g;
  return name.replaceAll('_', ' ').replace(shorts, (short) => short.toUpperCase());
}

/** What is waited for besides the time, and since when. */
function awaitsText({
  awaits,
  waiting_since: since,
  secondaries_behind: behind,
}: NextAction): string | null {
  const parts = awaits === 'nothing' ? [] : [inWords(awaits)];
  if (behind.length > 0) parts.push(`secondary ${behind.join(', ')}`);
  if (parts.length === 0) return null;
  return `${parts.join(' and ')}${since === null ? '' : ` since ${since}`}`;
}

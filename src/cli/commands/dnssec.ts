/**
 * `dnssec`: the signing of zones, its keys, and the DS at the parent (interface 4.7).
 *
 * Whatever changes the signing of a zone answers how it is signed then, so all are presented alike. Keys as files
 * of the host are in dnssec-key.ts.
 */
import type { DnssecStatus } from '../answers.ts';
import type { Command, Group } from '../command.ts';
import { choice, commaList, serverAddress } from '../field.ts';
import { type PassedOn, passOn } from '../from-contract.ts';
import type { Columns, Output } from '../output.ts';
import { dnssecKeyExport, dnssecKeyImport } from './dnssec-key.ts';

// A text in the contract, where the service says which role the zone has.
const role = choice(['csk', 'ksk', 'zsk'], 'which key');

const keyColumns: Columns<DnssecStatus['keys'][number]> = [
  ['key', 'key_tag'],
  'role',
  'state',
  'algorithm',
  ['since', 'state_changed_at'],
  ['eligible', 'eligible_at'],
];

/** What comes next. */
type NextAction = DnssecStatus['next_steps'][number];

const nextColumns: Columns<NextAction> = [
  ['next', ({ action }) => inWords(action)],
  ['keys', ({ key_tags: tags }) => tags.join(', ')],
  ['not before', 'at'],
  ['awaits', awaitsText],
  ['blocked by', 'blocked_by'],
];

export function statusText(status: DnssecStatus, output: Output): string {
  if (status.effects !== undefined) return foreseenText(status) || 'nothing would change';
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
    ...(status.to_do === null ? [] : [status.to_do.text]),
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

interface Done {
  readonly message: string;
  readonly effects?: readonly string[] | undefined;
  readonly risks?: readonly string[] | undefined;
}

type Delegation = NonNullable<DnssecStatus['delegation']>;

function delegationText(delegation: Delegation, output: Output): string {
  const { ds_state: state, ds_ttl: ttl, parent_has_name: hasName, servers, keys } = delegation;
  if (servers.length === 0) return 'no server of the parent is known';
  const note = hasName === false ? ', which has no such name' : '';
  const known = hasName === null ? 'not known' : state;
  const head = `DS at the parent${note}: ${known}${ttl === null ? '' : `, TTL ${ttl}`}`;
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
        : (key.ds_missing ?? 'DS not at every server'),
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

/** What was done, or would be in a dry run. */
function doneText(done: Done): string {
  const { effects = [] } = done;
  return effects.length === 0 ? done.message : `${done.message}\n${foreseenText(done)}`;
}

/** What a dry run says. */
function foreseenText({ effects = [], risks = [] }: Omit<Done, 'message'>): string {
  return [...effects, ...risks.map((risk) => `warning: ${risk}`)].join('\n');
}

/** A command whose answer is how the zone is signed then. */
function answeredByStatus(row: PassedOn<DnssecStatus>): Command {
  const changes = ({ effects }: DnssecStatus) => effects?.length !== 0;
  return passOn<DnssecStatus>({ ...row, show: statusText, changes });
}

export const dnssec: Group = {
  name: 'dnssec',
  summary: 'The signing of zones: keys, signatures, and the DS at the parent',
  commands: [
    answeredByStatus({
      usage: 'enable <zone>',
      route: 'enableDnssec',
      summary: 'Sign a zone, and show the DS records for its parent',
      notes:
        'The servers of the parent zone are asked for the DS before anything is done that relies on it:\n' +
        'before a new key takes over, before an old one goes, before the zone stops being signed.',
      examples: [
        ['$0 example.com --parent-ns 192.0.2.1:53', 'under the built-in policy'],
        [
          '$0 example.com --parent-ns a.nic.example,b.nic.example --policy split',
          'under another one',
        ],
      ],
      fields: {
        parentNs: serverAddress(
          commaList(
            'name servers of the parent zone, host or host:port; may be repeated',
            'name at least one server of the parent zone with --parent-ns',
          ),
        ),
        policy: 'DNSSEC policy; the built-in one when left out',
      },
    }),
    answeredByStatus({
      usage: 'status <zone>',
      route: 'getDnssec',
      summary: 'Show how a zone is signed: policy, keys, DS, what comes next',
      examples: [['$0 example.com', 'keys, the DS for the parent, and what waits for what']],
    }),
    answeredByStatus({
      usage: 'set <zone>',
      route: 'configureDnssec',
      summary: 'Move a signed zone to another policy, or name other servers of its parent',
      notes:
        'A policy of another algorithm starts an algorithm roll; one of another mode of denial replaces\n' +
        'the chain at once. The key layout has to be the same.',
      examples: [
        ['$0 example.com --policy small', 'another algorithm, denial or days'],
        ['$0 example.com --parent-ns 192.0.2.1 --parent-ns 192.0.2.2', 'all of them'],
      ],
      fields: {
        policy: 'DNSSEC policy to sign under',
        parentNs: 'name servers of the parent zone, in place of those known; may be repeated',
      },
    }),
    passOn<Done>({
      show: doneText,
      usage: 'disable <zone>',
      route: 'disableDnssec',
      summary: 'Stop signing a zone; refused while its parent serves a DS',
      notes:
        'With a DS at the parent and no signatures, validating resolvers refuse the whole zone. Have the\n' +
        'DS removed first (dnssec withdraw start asks for it), and wait until it has expired from caches.',
      examples: [['$0 example.com', 'keys and signatures are deleted']],
      ask: { question: ({ zone }) => `stop signing zone ${zone}`, isFinal: true },
    }),
    answeredByStatus({
      usage: 'check-ds <zone>',
      route: 'checkDs',
      examples: [['$0 example.com', 'which keys the parent vouches for']],
    }),
    passOn<{ readonly delegation: Delegation }>({
      usage: 'delegation <zone>',
      route: 'getDelegation',
      notes: 'A deleted zone is asked about by its id, which zone list --deleted shows.',
      examples: [
        ['$0 example.com', 'what the parent servers say, without a change of anything'],
        ['$0 example.com --deleted-id 12', 'whether it would be found again after zone restore'],
      ],
      fields: { deletedId: 'id of a deleted zone of that name' },
      show: ({ delegation }, output) => delegationText(delegation, output),
    }),
    passOn<Done>({
      show: doneText,
      usage: 'sign <zone>',
      route: 'signZone',
      notes: 'Signatures are renewed automatically before they expire; this is for when in doubt.',
      examples: [['$0 example.com', 'discard what is stored, sign everything']],
    }),
    answeredByStatus({
      usage: 'roll <zone>',
      route: 'rollKey',
      summary: 'Publish a new key that is to replace the one in use',
      notes:
        'A new ZSK takes over automatically once caches know it. A new CSK or KSK also waits until every\n' +
        'parent server serves its DS; then the service promotes it, or dnssec promote does.',
      examples: [
        ['$0 example.com', 'a zone with one CSK'],
        ['$0 example.com --dry-run', 'what it would do, and when the new key takes over'],
        ['$0 example.com --role zsk', 'for a zone with KSK and ZSK the role is required'],
      ],
      fields: { role },
    }),
    answeredByStatus({
      usage: 'promote <zone>',
      route: 'promoteKey',
      summary: 'Let a published key take over, once every parent server serves its DS',
      notes:
        'What a refused promotion waits for may be skipped: the refusal says by which option, and what that\n' +
        'risks.',
      examples: [
        ['$0 example.com', 'the key it replaces retires'],
        ['$0 example.com --dry-run', 'whether it can be done now, and what parents say'],
      ],
    }),
    answeredByStatus({
      usage: 'abort <zone>',
      route: 'abortRoll',
      notes:
        'A move to another algorithm is aborted as a whole, and the zone is back under its former\n' +
        'policy. After the promotion nothing can be aborted any more.',
      examples: [
        ['$0 example.com', 'the key that waits for the parent, or else the ZSK'],
        ['$0 example.com --role zsk', 'the ZSK that is published'],
      ],
      fields: { role },
    }),
  ],
  groups: [
    {
      name: 'withdraw',
      summary: 'Asking the parent to remove the DS',
      commands: [
        answeredByStatus({
          usage: 'start <zone>',
          route: 'withdrawDs',
          summary: 'Ask the parent, by CDS and CDNSKEY, to remove the DS of a zone',
          notes:
            'Once no parent server serves a DS any more, dnssec disable stops signing the zone.',
          examples: [['$0 example.com', 'the first step to an unsigned zone']],
        }),
        answeredByStatus({
          usage: 'cancel <zone>',
          route: 'cancelWithdrawal',
          summary: 'Ask the parent to keep the DS of a zone after all',
          examples: [['$0 example.com', 'CDS name the keys again']],
        }),
      ],
    },
    {
      name: 'key',
      summary: 'Private keys on this host, in the form of BIND',
      commands: [dnssecKeyExport, dnssecKeyImport],
    },
  ],
};

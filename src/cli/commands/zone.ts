/**
 * `zone`: zones, their settings, and what happens to a zone as a whole (interface 4.2).
 *
 * All but one only pass on (from-contract.ts): notify has two routes, for one zone and for all. The files of zones are
 * in zone-file.ts, their versions in version.ts.
 */
import type {
  Activity,
  Blame,
  DeletedZone,
  ForgottenHistory,
  HistoryEntry,
  Message,
  Zone,
  ZoneDeletion,
  ZoneUpdate,
  Propagation,
  ZoneStatus,
} from '../answers.ts';
import { counted, done, doneBy, historyText } from '../changes.ts';
import { segment } from '../client.ts';
import { defineCommand, type Group } from '../command.ts';
import { moreFollow } from '../difference.ts';
import { exitCode, usageFailure } from '../failure.ts';
import { domainName, flag, required, seconds, text } from '../field.ts';
import { listed, passOn } from '../from-contract.ts';
import { moment } from '../moment.ts';
import type { Columns, Output } from '../output.ts';
import { resource } from '../resource.ts';
import { soaColumns, versions } from './version.ts';
import { zoneDiff } from './zone-diff.ts';
import { zoneApply, zoneEdit } from './zone-edit.ts';
import { zoneExport, zoneImport } from './zone-file.ts';
import { zoneGuard } from './zone-guard.ts';
import { zoneDrift } from './zone-desired.ts';
import { zoneLint } from './zone-lint.ts';
import { tags } from './zone-tag.ts';

const listColumns: Columns<Zone> = [
  'name',
  'serial',
  'mname',
  'default_ttl',
  'enabled',
  'description',
];
/** Several deleted zones may have had one name: restore and purge tell them apart by id. */
const deletedColumns: Columns<DeletedZone> = [
  'id',
  'deleted_at',
  ['by', ({ deleted_by: actor }) => actor?.name],
  ['reason', ({ deleted_reason: reason }) => reason],
  'name',
  'serial',
  'records',
  'versions',
  ['ds_keys', ({ ds_key_tags: tags }) => tags.join(', ')],
  ['roles_lost', ({ roles_lost: roles }) => roles?.join(', ')],
  'purge_at',
];
const zone = resource<Zone>({
  path: '/zones',
  key: 'zone',
  none: 'no zones',
  columns: listColumns,
  fields: ['name', 'id', 'serial', ...soaColumns, 'enabled', 'description'],
});

const blameColumns: Columns<Blame['items'][number]> = [
  'name',
  'type',
  ['seq', ({ event }) => event?.seq],
  ['serial', ({ event }) => event?.serial],
  ['at', ({ event }) => event?.at],
  ['by', ({ event }) => event && doneBy(event.actor, event.source)],
  ['reason', ({ event }) => event?.reason],
  ['reference', ({ event }) => event?.reference],
];

const activityColumns: Columns<Activity['items'][number]> = [
  'at',
  'changes',
  'signing',
  'added',
  'removed',
  [
    'sources',
    ({ by_source: found }) =>
      Object.entries(found)
        .map((one) => one.join(' '))
        .join(', '),
  ],
];

/** In the SOA; the contract describes the forms of these names. */
const soaNames = {
  mname: 'primary name server, for the SOA',
  rname: 'e-mail address of who is responsible, for the SOA',
};

/** What went, or would go, with a zone: deleting it and purging it answer alike. */
const deletion = (verb: string) => (answer: ZoneDeletion) => {
  const { records_deleted: records, versions_deleted: serials } = answer;
  const what = `${counted(records, 'record')}, ${counted(serials, 'version')}`;
  return `${done(answer, verb)} zone ${answer.zone.name}: ${what}`;
};

const notify = defineCommand({
  usage: 'notify [name]',
  summary: 'Send NOTIFY to every enabled secondary and wait for the answers',
  examples: [
    ['$0 example.com', 'tell the secondaries of one zone'],
    ['$0 --all', 'of the catalog zone and every zone'],
  ],
  positionals: { name: domainName(text('name of the zone')) },
  options: {
    all: flag('the catalog zone and every zone'),
    bumpSerial: flag('advance the serial first, so that secondaries transfer in any case'),
  },
  async run({ name, all, bumpSerial }, context) {
    if ((name === undefined) !== (all === true)) {
      throw usageFailure('name one zone, or give --all', "see 'zonebook zone notify --help'");
    }
    const client = await context.client();
    const path = name === undefined ? '/notify' : `/zones/${segment(name)}/notify`;
    const answer = await client.post<Message>(path, undefined, { bump_serial: bumpSerial });
    await context.output.show(answer, () => answer.message);
  },
});

const probeColumns: Columns<ZoneStatus['secondaries'][number]> = [
  'address',
  'status',
  'content',
  ['serial', 'visible_serial'],
  ['last_transfer', (probe) => probe.last_transfer?.at],
  'error',
];

function statusText({ zone_name: name, serial, secondaries }: ZoneStatus, output: Output): string {
  const head = `zone ${name} is at serial ${serial}`;
  if (secondaries.length === 0) return `${head}; no enabled secondaries`;
  return `${head}\n${output.rows(probeColumns, secondaries)}`;
}

const reachColumns: Columns<Propagation['secondaries'][number]> = [
  'name',
  'address',
  ['serial', 'visible_serial'],
  'reached',
  'seen_at',
  ['delay_ms', ({ delay_ms: delayMs }) => delayMs],
  'how',
  'error',
];

function propagationText(answer: Propagation, output: Output): string {
  const { zone_name: name, serial, reached, at, safe_after: safeAfter, secondaries } = answer;
  if (secondaries.length === 0)
    return `zone ${name} is at serial ${serial}; no enabled secondaries`;
  const all = `every secondary serves serial ${serial} of zone ${name} since ${at}`;
  const caches =
    safeAfter === null ? '' : `\ncaches have dropped what was replaced by ${safeAfter}`;
  const head = reached
    ? `${all}${caches}`
    : `serial ${serial} of zone ${name} is not everywhere yet`;
  return `${head}\n${output.rows(reachColumns, secondaries)}`;
}

export const zones: Group = {
  name: 'zone',
  summary: 'Zones: their SOA and what belongs to it',
  commands: [
    zone.create({
      examples: [
        [
          '$0 example.com --mname ns1.example.com --rname hostmaster@example.com',
          'a zone with an apex NS record for ns1.example.com',
        ],
      ],
      fields: {
        ...soaNames,
        serial: 'first serial; 1 for a new name when left out',
        apexNs: 'start with an NS record for mname; --no-apex-ns leaves it out',
      },
    }),
    zone.list({
      examples: [
        ['$0', 'the first thousand zones by name'],
        ['$0 --search example --sort serial --order desc', 'the busiest of some'],
      ],
      fields: {
        name: 'exact name',
        ...soaNames,
        createdAfter: 'created at this time or later, like 2026-01-31T12:00:00Z',
        createdBefore: 'created at this time or earlier',
        changedAfter: 'changed at this time or later, not counting changes of signing alone',
        changedBy:
          'last changed by the token, key or local user of this name, not counting signing alone',
        signed: 'signed zones only; --no-signed for the others',
        enabled: 'enabled zones only; --no-enabled for the others',
        signing:
          'rolling: a key comes or goes; troubled: its signing waits for somebody, or fails; ' +
          'waiting: of these, those that wait',
        lagging: 'zones that a secondary is behind with; --no-lagging for the others',
        deleted: 'deleted zones that can be restored; goes with --search only',
      },
      show: (found, output, { deleted }) =>
        deleted === true
          ? output.rows(deletedColumns, found as readonly Zone[] as readonly DeletedZone[])
          : zone.rows(found, output),
    }),
    zone.get({
      summary: 'Show a zone; its records are in record list',
      examples: [
        ['$0 example.com', 'its SOA and settings'],
        ['$0 example.com --at yesterday', 'as they were when yesterday began'],
      ],
    }),
    zone.update({
      usage: 'update <zone>',
      summary: 'Change or rename a zone; what is not named stays',
      examples: [
        ['$0 example.com --description "main zone"', 'a note for operators'],
        ['$0 example.com --name example.net', 'rename it, history and all'],
        ['$0 example.com --no-enabled', 'stop serving it'],
      ],
      changes: (answer) => !(answer as ZoneUpdate).unchanged,
      ask: {
        question: ({ zone: of, enabled }) =>
          enabled === false ? `stop serving zone ${of}` : undefined,
      },
      fields: {
        guard: null,
        name: 'another name: renames the zone',
        ...soaNames,
        serial: 'the current serial; another one is refused',
        description: "operator note; '' clears it",
        enabled: 'serve the zone; --no-enabled stops that',
      },
    }),
    zoneGuard,
    zone.delete<ZoneDeletion>({
      examples: [
        ['$0 example.com --dry-run', 'how much would go'],
        ['zonebook zone rm example.com', 'delete it'],
      ],
      ask: { question: ({ name }) => `delete zone ${name}` },
      show: deletion('delete'),
    }),
    zoneImport,
    zoneExport,
    zoneDiff,
    zoneApply,
    zoneEdit,
    zoneLint,
    zoneDrift,
    listed<HistoryEntry>({
      usage: 'history <zone>',
      route: 'getZoneHistory',
      summary: 'Show who changed what in a zone and when, newest first',
      examples: [
        ['$0 example.com --limit 10', 'the last ten changes'],
        ['$0 example.com --name www --type A', 'of one RRset, deleted or not'],
      ],
      none: 'no changes',
      show: (entries, output) => historyText(entries, output),
    }),
    passOn<Blame>({
      usage: 'blame <zone>',
      route: 'blameZone',
      summary: 'Show for each RRset who made it what it is, when and why',
      examples: [
        ['$0 example.com', 'the first fifty'],
        ['$0 example.com --name www --type A', 'of one RRset'],
        ["$0 example.com --at 'yesterday 14:00'", 'as they were then'],
      ],
      show({ items, next_cursor: next }, output) {
        if (items.length === 0) return 'no records there; zone history tells which there were';
        return `${output.rows(blameColumns, items)}${moreFollow(next)}`;
      },
    }),
    passOn<Activity>({
      usage: 'activity <zone>',
      route: 'getZoneActivity',
      summary: 'Show how much changed in a zone over time',
      examples: [
        ['$0 example.com', 'since it was created, in fifty spans'],
        ["$0 example.com --from '7d ago' --buckets 7", 'of each of the last seven days'],
      ],
      fields: {
        from: moment(text('since then, like 2026-01-31T12:00:00Z or 2h ago')),
        to: moment(text('up to then; now when left out')),
      },
      show: ({ items }, output) => output.rows(activityColumns, items),
    }),
    passOn<{ zone: Zone }>({
      usage: 'restore <name>',
      route: 'restoreZone',
      summary: 'Bring a deleted zone back with its records and history',
      notes: 'Grants do not come back. zone list --deleted shows what can be restored.',
      examples: [['$0 example.com', 'the zone of that name that was deleted last']],
      show: zone.after('restore'),
    }),
    passOn<ZoneDeletion>({
      usage: 'purge <name>',
      route: 'purgeZone',
      summary: 'Delete what is kept of a deleted zone; it can not be restored any more',
      notes:
        'zone list --deleted shows what can be purged. The journal goes on saying that the zone was\n' +
        'there, and who changed it when, but not what was in it.',
      examples: [
        ['$0 example.com --dry-run', 'how much would go'],
        ['$0 example.com', 'the zone of that name that was deleted last'],
      ],
      ask: {
        question: ({ name }) => `purge zone ${name}`,
        isFinal: true,
        named: ({ zone: { id, serial } }) => ({ id, serial: serial ?? undefined }),
      },
      show: deletion('purge'),
    }),
    passOn<ForgottenHistory>({
      usage: 'forget-history <name>',
      route: 'forgetHistory',
      summary: 'Delete old versions of a zone immediately; they can not be brought back',
      notes:
        'The version in force at that time stays. The journal goes on saying who changed the zone when,\n' +
        'but not what. dns.zone_history_retention_days does the same automatically.',
      examples: [
        ['$0 example.com --before 2026-01-31T12:00:00Z --dry-run', 'how many'],
        ['$0 example.com --before 2026-01-31T12:00:00Z', 'for good'],
      ],
      ask: { question: ({ name }) => `delete old versions of zone ${name}`, isFinal: true },
      changes: ({ unchanged }) => !unchanged,
      fields: {
        before: moment(
          required('versions replaced before then go, like 2026-01-31T12:00:00Z or 90d ago'),
        ),
      },
      show({ dry_run: isDryRun, zone: of, versions_forgotten: forgotten, oldest_serial: oldest }) {
        const verb = isDryRun ? 'would forget' : 'forgot';
        return `${verb} ${counted(forgotten, 'version')} of zone ${of.name}; the oldest is ${oldest}`;
      },
    }),
    notify,
    passOn<ZoneStatus>({
      usage: 'status <name>',
      route: 'getZoneStatus',
      summary: 'Ask every enabled secondary which serial of a zone it serves',
      examples: [['$0 example.com', 'who is in sync, and who lags behind']],
      show: statusText,
    }),
    passOn<Propagation>({
      usage: 'propagation <name>',
      route: 'getPropagation',
      summary: 'Tell which secondaries serve a serial of a zone, and wait for them',
      examples: [['$0 example.com --wait 30', 'until every secondary serves the latest serial']],
      fields: { wait: seconds('seconds to wait until every secondary serves it; 30 alone') },
      show: propagationText,
      // Without a wait it only tells how it is.
      endsWith: ({ reached }, { wait }) =>
        reached || wait === undefined ? exitCode.ok : exitCode.notPropagated,
    }),
  ],
  groups: [versions, tags],
};

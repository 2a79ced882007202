/**
 * `zone`: zones, their settings, and what happens to a zone as a whole (interface 4.2).
 *
 * All but one only pass on (from-contract.ts): notify has two routes, for one zone and for all. The files of zones are
 * in zone-file.ts, their versions in version.ts.
 */
import type {
  DeletedZone,
  ForgottenHistory,
  HistoryEntry,
  Message,
  Zone,
  ZoneDeletion,
  ZoneStatus,
} from '../answers.ts';
import { counted, done, historyText } from '../changes.ts';
import { segment } from '../client.ts';
import { defineCommand, type Group } from '../command.ts';
import { usageFailure } from '../failure.ts';
import { domainName, flag, text } from '../field.ts';
import { listed, passOn } from '../from-contract.ts';
import type { Columns, Output } from '../output.ts';
import { resource } from '../resource.ts';
import { soaColumns, versions } from './version.ts';
import { zoneExport, zoneImport } from './zone-file.ts';

const listColumns: Columns<Zone> = [
  'name',
  'serial',
  'mname',
  'default_ttl',
  'enabled',
  'description',
];
/** Several deleted zones may have had one name: restore and purge tell them apart by id. */
const deletedColumns: Columns<DeletedZone> = ['id', 'deleted_at', ...listColumns];
const zone = resource<Zone>({
  path: '/zones',
  key: 'zone',
  none: 'no zones',
  columns: listColumns,
  fields: ['name', 'id', 'serial', ...soaColumns, 'enabled', 'description'],
});

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
    ['$0 --all', 'of every zone'],
  ],
  positionals: { name: domainName(text('name of the zone')) },
  options: {
    all: flag('every zone'),
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
  ['serial', 'visible_serial'],
  ['last_transfer', (probe) => probe.last_transfer?.at],
  'error',
];

function statusText({ zone_name: name, serial, secondaries }: ZoneStatus, output: Output): string {
  const head = `zone ${name} is at serial ${serial}`;
  if (secondaries.length === 0) return `${head}; no enabled secondaries`;
  return `${head}\n${output.rows(probeColumns, secondaries)}`;
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
        signed: 'signed zones only; --no-signed for the others',
        enabled: 'enabled zones only; --no-enabled for the others',
        deleted: 'deleted zones that can be restored; goes with --search only',
      },
      show: (found, output, { deleted }) =>
        deleted === true
          ? output.rows(deletedColumns, found as readonly Zone[] as readonly DeletedZone[])
          : zone.rows(found, output),
    }),
    zone.get({
      summary: 'Show a zone; its records are in record list',
      examples: [['$0 example.com', 'its SOA and settings']],
    }),
    zone.update({
      usage: 'update <zone>',
      summary: 'Change or rename a zone; what is not named stays',
      examples: [
        ['$0 example.com --description "main zone"', 'a note for operators'],
        ['$0 example.com --name example.net', 'rename it, history and all'],
        ['$0 example.com --no-enabled', 'stop serving it'],
      ],
      fields: {
        name: 'another name: renames the zone',
        ...soaNames,
        serial: 'the current serial; another one is refused',
        description: "operator note; '' clears it",
        enabled: 'serve the zone; --no-enabled stops that',
      },
    }),
    zone.delete<ZoneDeletion>({
      examples: [
        ['$0 example.com --dry-run', 'how much would go'],
        ['zonebook zone rm example.com', 'delete it'],
      ],
      show: deletion('delete'),
    }),
    zoneImport,
    zoneExport,
    listed<HistoryEntry>({
      usage: 'history <zone>',
      route: 'getZoneHistory',
      summary: 'Show who changed what in a zone and when, newest first',
      examples: [
        ['$0 example.com --limit 10', 'the last ten changes'],
        ['$0 example.com --name www --type A', 'of one RRset, deleted or not'],
      ],
      none: 'no changes',
      show: (entries, output) => historyText(entries, output.paint),
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
      fields: { before: 'versions replaced before then go, like 2026-01-31T12:00:00Z' },
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
  ],
  groups: [versions],
};

/**
 * `zone`: zones, their settings, and what happens to a zone as a whole (interface 4.2).
 *
 * Rows of commands that only pass on (from-contract.ts); notify alone has two routes, for one zone and for all. The
 * files of zones are in zone-file.ts, their versions in version.ts.
 */
import type {
  DeletedZone,
  ForgottenHistory,
  HistoryEntry,
  Message,
  Zone,
  ZoneChange,
  ZoneDeletion,
  ZoneRestoration,
  ZoneStatus,
} from '../answers.ts';
import { counted, done, dryRun, historyText } from '../changes.ts';
import { segment } from '../client.ts';
import { defineCommand, type Group } from '../command.ts';
import { usageFailure } from '../failure.ts';
import { domainName, flag, text } from '../field.ts';
import { domain, listed, mailbox, passOn } from '../from-contract.ts';
import type { Output } from '../output.ts';
import type { Columns } from '../table.ts';
import { versions } from './version.ts';
import { zoneExport, zoneImport } from './zone-file.ts';

/** A zone by itself. */
const zoneFields: Columns<Zone> = {
  name: 'name',
  id: 'id',
  serial: 'serial',
  mname: 'mname',
  rname: 'rname',
  default_ttl: 'default_ttl',
  minimum_ttl: 'minimum_ttl',
  refresh: 'refresh',
  retry: 'retry',
  expire: 'expire',
  enabled: 'enabled',
  description: 'description',
};

/** Options that create and update share. */
const settings = {
  defaultTtl: 'TTL of the SOA and of records that name none, in seconds',
  minimumTtl: 'how long negative answers are cached, in seconds',
  refresh: 'seconds between two checks of a secondary',
  retry: 'seconds until a failed check is repeated',
  expire: 'seconds after which a secondary gives the zone up',
  description: 'operator note, up to 255 characters',
};
const mname = domain('primary name server, for the SOA');
const rname = mailbox('e-mail address of who is responsible, for the SOA');
const name = domain('name of the zone');

const create = passOn<ZoneChange>({
  usage: 'create <name>',
  route: 'createZone',
  summary: 'Create a zone',
  examples: [
    [
      'zonebook zone create example.com --mname ns1.example.com --rname hostmaster@example.com',
      'a zone with an apex NS record for ns1.example.com',
    ],
  ],
  fields: {
    name,
    mname,
    rname,
    ...settings,
    serial: 'first serial; 1 for a new name when left out',
    apexNs: 'start with an NS record for mname; --no-apex-ns leaves it out',
    dryRun,
  },
  show: (answer, output) =>
    `${done(answer, 'create')} zone ${answer.zone.name}\n${output.one(zoneFields, answer.zone)}`,
});

const listColumns: Columns<Zone> = {
  name: 'name',
  serial: 'serial',
  mname: 'mname',
  default_ttl: 'default_ttl',
  enabled: 'enabled',
  description: 'description',
};
/** Several deleted zones may have had one name: restore and purge tell them apart by id. */
const deletedColumns: Columns<DeletedZone> = {
  id: 'id',
  deleted_at: 'deleted_at',
  ...listColumns,
};

const list = listed<Zone | DeletedZone>({
  usage: 'list',
  route: 'listZones',
  summary: 'List zones',
  examples: [
    ['zonebook zone list', 'the first thousand zones by name'],
    ['zonebook zone list --search example --sort serial --order desc', 'the busiest of some'],
  ],
  fields: {
    name: domain('exact name'),
    search: 'part of the name',
    id: 'id',
    mname: domain('exact primary name server'),
    rname: mailbox('exact address of who is responsible'),
    defaultTtl: 'default TTL',
    minDefaultTtl: 'minimum default TTL',
    maxDefaultTtl: 'maximum default TTL',
    serial: 'serial',
    minSerial: 'minimum serial',
    maxSerial: 'maximum serial',
    createdAfter: 'created at this time or later, like 2026-01-31T12:00:00Z',
    createdBefore: 'created at this time or earlier',
    signed: 'signed zones only; --no-signed for the others',
    enabled: 'enabled zones only; --no-enabled for the others',
    deleted: 'deleted zones that can be restored; goes with --search only',
    sort: 'order by',
    order: 'direction',
  },
  none: 'no zones',
  show: (zones, output, { deleted }) =>
    deleted === true
      ? output.rows(deletedColumns, zones as readonly DeletedZone[])
      : output.rows(listColumns, zones),
});

const get = passOn<{ zone: Zone }>({
  usage: 'get <name>',
  route: 'getZone',
  summary: 'Show a zone; its records are in record list',
  examples: [['zonebook zone get example.com', 'its SOA and settings']],
  fields: { name },
  show: ({ zone }, output) => output.one(zoneFields, zone),
});

const update = passOn<ZoneChange>({
  usage: 'update <zone>',
  route: 'updateZone',
  summary: 'Change or rename a zone; what is not named stays',
  examples: [
    ['zonebook zone update example.com --description "main zone"', 'a note for operators'],
    ['zonebook zone update example.com --name example.net', 'rename it, history and all'],
    ['zonebook zone update example.com --no-enabled', 'stop serving it'],
  ],
  fields: {
    zone: name,
    name: domain('another name: renames the zone'),
    mname,
    rname,
    ...settings,
    description: "operator note; '' clears it",
    enabled: 'serve the zone; --no-enabled stops that',
    serial: 'the current serial; another one is refused',
    dryRun,
  },
  show: (answer, output) =>
    `${done(answer, 'update')} zone ${answer.zone.name}\n${output.one(zoneFields, answer.zone)}`,
});

/** What went, or would go, with a zone: deleting it and purging it answer alike. */
function deletionText(answer: ZoneDeletion, verb: string): string {
  const { zone, records_deleted: records, versions_deleted: serials } = answer;
  const what = `${counted(records, 'record')}, ${counted(serials, 'version')}`;
  return `${done(answer, verb)} zone ${zone.name}: ${what}`;
}

const remove = passOn<ZoneDeletion>({
  usage: 'delete <name>',
  route: 'deleteZone',
  summary: 'Delete a zone with its records and versions',
  examples: [
    ['zonebook zone delete example.com --dry-run', 'how much would go'],
    ['zonebook zone rm example.com', 'delete it'],
  ],
  fields: { name, dryRun },
  show: (answer) => deletionText(answer, 'delete'),
});

const history = listed<HistoryEntry>({
  usage: 'history <zone>',
  route: 'getZoneHistory',
  summary: 'Show who changed what in a zone and when, newest first',
  examples: [
    ['zonebook zone history example.com --limit 10', 'the last ten changes'],
    ['zonebook zone history example.com --name www --type A', 'of one RRset, deleted or not'],
  ],
  fields: {
    zone: name,
    name: domain('only changes at this owner, relative to the zone'),
    type: 'only changes of records of this type',
  },
  none: 'no changes',
  show: (entries, output) => historyText(entries, output.paint),
});

const deletedId = 'id of one of several deleted zones of that name';

const restore = passOn<ZoneRestoration>({
  usage: 'restore <name>',
  route: 'restoreZone',
  summary: 'Bring a deleted zone back with its records and history',
  notes: 'Grants do not come back. zone list --deleted shows what can be restored.',
  examples: [['zonebook zone restore example.com', 'the zone of that name that was deleted last']],
  fields: { name, id: deletedId },
  show: ({ zone }, output) => `restored zone ${zone.name}\n${output.one(zoneFields, zone)}`,
});

const purge = passOn<ZoneDeletion>({
  usage: 'purge <name>',
  route: 'purgeZone',
  summary: 'Delete what is kept of a deleted zone; it can not be restored any more',
  notes:
    'zone list --deleted shows what can be purged. The journal goes on saying that the zone was there,\n' +
    'and who changed it when, but not what was in it.',
  examples: [
    ['zonebook zone purge example.com --dry-run', 'how much would go'],
    ['zonebook zone purge example.com', 'the zone of that name that was deleted last'],
  ],
  fields: { name: domain('name of the deleted zone'), id: deletedId, dryRun },
  show: (answer) => deletionText(answer, 'purge'),
});

const forgetHistory = passOn<ForgottenHistory>({
  usage: 'forget-history <name>',
  route: 'forgetHistory',
  summary: 'Delete old versions of a zone immediately; they can not be brought back',
  notes:
    'The version in force at that time stays. The journal goes on saying who changed the zone when,\n' +
    'but not what. dns.zone_history_retention_days does the same automatically.',
  examples: [
    [
      'zonebook zone forget-history example.com --before 2026-01-31T12:00:00Z --dry-run',
      'how many',
    ],
    ['zonebook zone forget-history example.com --before 2026-01-31T12:00:00Z', 'for good'],
  ],
  fields: {
    name,
    before: 'versions replaced before then go, like 2026-01-31T12:00:00Z',
    dryRun,
  },
  show({ dry_run: isDryRun, zone, versions_forgotten: forgotten, oldest_serial: oldest }) {
    const verb = isDryRun ? 'would forget' : 'forgot';
    return `${verb} ${counted(forgotten, 'version')} of zone ${zone.name}; the oldest is ${oldest}`;
  },
});

const notify = defineCommand({
  usage: 'notify [name]',
  summary: 'Send NOTIFY to every enabled secondary and wait for the answers',
  examples: [
    ['zonebook zone notify example.com', 'tell the secondaries of one zone'],
    ['zonebook zone notify --all', 'of every zone'],
  ],
  positionals: { name: domainName(text('name of the zone')) },
  options: {
    all: flag('every zone'),
    bumpSerial: flag('advance the serial first, so that secondaries transfer in any case'),
  },
  async run({ name: zone, all, bumpSerial }, context) {
    if ((zone === undefined) !== (all === true)) {
      throw usageFailure('name one zone, or give --all', "see 'zonebook zone notify --help'");
    }
    const client = await context.client();
    const path = zone === undefined ? '/notify' : `/zones/${segment(zone)}/notify`;
    const answer = await client.post<Message>(path, undefined, { bump_serial: bumpSerial });
    await context.output.show(answer, () => answer.message);
  },
});

const probeColumns: Columns<ZoneStatus['secondaries'][number]> = {
  address: 'address',
  status: 'status',
  serial: 'visible_serial',
  last_transfer: (probe) => probe.last_transfer?.at,
  error: 'error',
};

const status = passOn<ZoneStatus>({
  usage: 'status <name>',
  route: 'getZoneStatus',
  summary: 'Ask every enabled secondary which serial of a zone it serves',
  examples: [['zonebook zone status example.com', 'who is in sync, and who lags behind']],
  fields: { name },
  show: statusText,
});

function statusText({ zone_name: zone, serial, secondaries }: ZoneStatus, output: Output): string {
  const head = `zone ${zone} is at serial ${serial}`;
  if (secondaries.length === 0) return `${head}; no enabled secondaries`;
  return `${head}\n${output.rows(probeColumns, secondaries)}`;
}

export const zones: Group = {
  name: 'zone',
  summary: 'Zones: their SOA and what belongs to it',
  commands: [
    create,
    list,
    get,
    update,
    remove,
    zoneImport,
    zoneExport,
    history,
    restore,
    purge,
    forgetHistory,
    notify,
    status,
  ],
  groups: [versions],
};

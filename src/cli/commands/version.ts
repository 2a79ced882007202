/**
 * `zone version`: what a zone was at each serial, and the way back (interface 4.2). Rollback asks a second time, for
 * the difference that it shows.
 */
import type { Rollback, VersionDiff, VersionWithRecords, ZoneVersion } from '../answers.ts';
import { doneBy, withDiff } from '../changes.ts';
import { type Client, segment } from '../client.ts';
import type { Group } from '../command.ts';
import { asPresented, differenceText, moreFollow, withCounts } from '../difference.ts';
import { CliFailure, usageFailure } from '../failure.ts';
import { taggedSerial } from '../field.ts';
import { listed, passOn, requestOf } from '../from-contract.ts';
import type { Columns } from '../output.ts';
import { showValue } from '../value.ts';

/** What the SOA of a zone says besides its serial. */
export const soaColumns = [
  'mname',
  'rname',
  'default_ttl',
  'minimum_ttl',
  'refresh',
  'retry',
  'expire',
] as const;

const listColumns: Columns<ZoneVersion> = [
  'serial',
  'created_at',
  ['by', ({ actor, change_source: source }) => doneBy(actor, source)],
];
const versionFields: Columns<VersionWithRecords['version']> = [...listColumns, ...soaColumns];
const recordColumns: Columns<VersionWithRecords['records'][number]> = [
  'name',
  'ttl',
  'type',
  'priority',
  ['value', ({ value }) => showValue(value)],
];

const diffRow = {
  usage: 'diff <name> [from] [to]',
  route: 'diffVersions',
  fields: {
    from: taggedSerial('serial to start from'),
    to: taggedSerial('serial to end at'),
    at: 'time to start from, instead of a serial',
    toAt: 'time to end at, instead of a serial',
  },
} as const;
const diffRequest = requestOf(diffRow);

/** Records that a rollback changes above which it is asked for. */
const largeRollback = 20;

/**
 * The difference that a rollback makes, or made with the increment to `new_serial`. It is presented besides:
 * when it can not be had the rollback is done all the same.
 */
async function changeOf(
  { summary, ...answer }: Rollback,
  client: Client,
  zone: string,
): Promise<VersionDiff | undefined> {
  if (summary.added + summary.deleted === 0) return undefined;
  const before = answer.new_serial - 1;
  const to = answer.dry_run ? answer.target_serial : answer.new_serial;
  try {
    return await client.get(`/zones/${segment(zone)}/versions/diff`, { from: before, to });
  } catch (error) {
    if (error instanceof CliFailure) return undefined;
    throw error;
  }
}

export const versions: Group = {
  name: 'version',
  summary: 'Versions of a zone: what it was at each serial',
  commands: [
    listed<ZoneVersion>({
      usage: 'list <name>',
      route: 'listVersions',
      summary: 'List the versions of a zone, newest first',
      examples: [
        ['$0 example.com', 'the last thousand'],
        ['zonebook zone version ls example.com --at 2026-01-31T12:00:00Z', 'the one of then'],
      ],
      fields: { at: 'only the version that was current then' },
      none: 'no versions',
      show: (all, output) => output.rows(listColumns, all),
    }),
    passOn<VersionWithRecords>({
      usage: 'get <name> <serial>',
      route: 'getVersion',
      summary: 'Show a version with its records',
      examples: [['$0 example.com 7', 'the zone as it was at serial 7']],
      fields: { serial: 'serial of the version' },
      show: ({ version, records, next_cursor: next }, output) =>
        `${output.one(versionFields, version)}\n\n${output.rows(recordColumns, records)}${moreFollow(next)}`,
    }),
    passOn<VersionDiff>({
      ...diffRow,
      summary: 'Show what changed between two versions',
      presents: 'difference',
      notes: 'The second one is the current one when it is left out. The way may lead back.',
      examples: [
        ['$0 example.com 7', 'what changed since serial 7'],
        ['$0 example.com tag:before-move', 'what changed since a moment with a name'],
        ['$0 example.com 7 5', 'what a way back from 7 to 5 would change'],
        ['$0 example.com --at 2026-01-31T12:00:00Z', 'what changed since noon'],
        ["$0 example.com --at 'yesterday 14:00'", 'times of the host go too'],
        [
          '$0 example.com 7 --actor ci',
          'of what changed since serial 7, the RRsets that ci changed',
        ],
      ],
      prepare(values, { output }) {
        const { from, to, at, toAt } = values;
        if ((from === undefined) === (at === undefined)) {
          const hint = "see 'zonebook zone version diff --help'";
          throw usageFailure('name a serial, or give --at', hint);
        }
        if (to !== undefined && toAt !== undefined) {
          throw usageFailure('a second serial and --to-at exclude each other');
        }
        return asPresented(values, output);
      },
      show: async (found, output, sent, client) => {
        const title = `from serial ${found.from_serial} to ${found.to_serial}`;
        const counted = await withCounts(found, sent, output, (values) => {
          const [from, to, not] = [found.from_serial, found.to_serial, undefined];
          const { path, query } = diffRequest.send({ ...values, from, to, at: not, toAt: not });
          return client.get<VersionDiff>(path, query);
        });
        return differenceText(title, counted, output);
      },
    }),
    passOn<Rollback>({
      usage: 'rollback <name> [serial]',
      route: 'rollbackZone',
      summary: 'Take a zone back to what it was at a serial or a time, under a new serial',
      presents: 'change',
      changes: ({ summary }) => summary.added + summary.deleted > 0 || summary.soa_changed,
      notes: 'Name, description and enabled stay. A rollback can be rolled back too.',
      examples: [
        ['$0 example.com 7 --dry-run', 'what would change?'],
        ['$0 example.com 7', 'do it'],
        ['$0 example.com --at 2026-01-31T12:00:00Z', 'to what it was at noon'],
        ['$0 example.com 7 --names www,@ --types A,AAAA', 'of some RRsets, and nothing else'],
      ],
      fields: {
        serial: taggedSerial('serial of the version to go back to'),
        at: 'time to go back to, instead of a serial',
        names: 'only RRsets at these names, separated by commas; @ is the apex',
        types: 'only RRsets of these types',
      },
      prepare(values) {
        const { serial, at, ...others } = values;
        if ((serial === undefined) !== (at === undefined)) {
          return typeof serial === 'string' ? { ...others, at: serial } : values;
        }
        throw usageFailure('name a serial, or give --at');
      },
      ask: {
        question: ({ name, serial, at }) => `take zone ${name} back to ${at ?? `serial ${serial}`}`,
        // A tag may be at another serial by the time that the answer is given.
        named: ({ target_serial: serial }) => ({ serial, at: undefined }),
        isLarge: ({ summary }) => summary.added + summary.deleted > largeRollback,
      },
      async show(answer, output, { name }, client) {
        const serial = answer.target_serial;
        const { added, deleted, unchanged, soa_changed: soaChanged } = answer.summary;
        const verb = answer.dry_run ? 'would roll back' : 'rolled back';
        const counts = `${added} added, ${deleted} deleted, ${unchanged} unchanged`;
        const headline = `${verb} ${name} to serial ${serial} as serial ${answer.new_serial}`;
        const said = `${headline}: ${counts}${soaChanged ? ', SOA changed' : ''}`;
        const diff = answer.diff?.entries.length ? answer.diff : undefined;
        const change = diff ?? (await changeOf(answer, client, String(name)))?.diff;
        return change === undefined ? said : withDiff(said, change, output);
      },
    }),
  ],
};

/**
 * `record`: records of zones (interface 4.3).
 *
 * Create and update make one value of several arguments first. Delete has two routes, by id and by what a record is;
 * bulk reads a file.
 */
import type {
  DnsRecord,
  HistoryEntry,
  RecordBulk,
  RecordChange,
  RecordDeletion,
} from '../answers.ts';
import { counted, done, historyText, withDiff } from '../changes.ts';
import type { Client } from '../client.ts';
import { defineCommand, type Group } from '../command.ts';
import { CliFailure, exitCode, usageFailure } from '../failure.ts';
import { domainName, flag, list, numberOf, required, text, whole } from '../field.ts';
import { listed, passOn } from '../from-contract.ts';
import { readAll } from '../environment.ts';
import { recordSet } from './change.ts';
import { dryRun } from '../preview.ts';
import { resource } from '../resource.ts';
import { type NamedRecord, refusePriorityInValue, showValue, valueFromWords } from '../value.ts';

const record = resource<DnsRecord>({
  path: '/records',
  key: 'record',
  none: 'no records',
  columns: ['id', 'name', 'ttl', 'type', 'priority', ['value', ({ value }) => showValue(value)]],
});

const segment = list('one segment of a TXT, instead of a value; may be repeated');

/** Fields whose values become the value of a record. */
interface Typed {
  readonly type?: string;
  readonly value: readonly string[];
  readonly segment: readonly string[];
}

/** A record that is created, with its value still in words. */
type Created = Typed & Omit<NamedRecord, 'value'>;

const remove = defineCommand({
  usage: 'delete <target> [name] [type] [value..]',
  summary: 'Delete a record by id, or records by zone, name, type and value',
  notes: 'A name alone takes every type at it. Matching nothing is no error.',
  examples: [
    ['$0 7', 'the record with id 7'],
    ['$0 example.com www A', 'every address of www'],
    ['zonebook record rm example.com www A 192.0.2.1 --dry-run', 'would one be deleted?'],
  ],
  positionals: {
    target: domainName(required('id of the record, or name of the zone when more follows')),
    name: domainName(text('owner, relative to the zone; @ for the zone itself')),
    type: text('type; every type when left out'),
    value: list('value; every value when left out'),
  },
  rest: 'value',
  presents: 'change',
  options: {
    priority: whole('priority of an MX or SRV'),
    dryRun: flag(dryRun),
  },
  async run({ target, name, type, value, priority, dryRun: isDryRun }, context) {
    const { client, output } = context;
    const query = { dry_run: isDryRun };
    let send: (service: Client) => Promise<RecordDeletion>;
    if (name === undefined) {
      const id = numberOf('', 'id of a record').read(target, '<target>');
      if (priority !== undefined) throw usageFailure('--priority goes with a zone and a name');
      send = (service) => service.ask('DELETE', `/records/${id}`, query);
    } else {
      const given = await valueFromWords(type, value, []);
      if (given !== undefined) {
        refusePriorityInValue('delete', { zone: target, name, type, value: given, priority });
      }
      const text = given === undefined ? undefined : showValue(given);
      const filter = { zone_name: target, name, type, value: text, priority };
      send = (service) => service.ask('DELETE', '/records', { ...filter, ...query });
    }
    const answer = await send(await client());
    await output.show(answer, () => {
      if (answer.deleted === 0) return 'nothing matches: no record is deleted';
      const headline = `${done(answer, 'delete')} ${counted(answer.deleted, 'record')}`;
      return withDiff(headline, answer.diff, output);
    });
    context.foresee(answer.deleted > 0);
  },
});

/** An array, or one object on each line that is not empty. What a record needs the API judges. */
function parseRecords(content: string, file: string): unknown[] {
  if (content.trimStart().startsWith('[')) {
    const records = parseJson(content, file, '');
    return Array.isArray(records) ? records : [records];
  }
  return content
    .split('\n')
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => parseJson(line, file, `line ${number}: `));
}

function parseJson(json: string, file: string, where: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'broken JSON';
    const name = file === '-' ? 'standard input' : file;
    const hint = 'it takes a JSON array of records, or one record a line';
    throw new CliFailure(exitCode.failure, `${name}: ${where}${reason}`, hint);
  }
}

export const records: Group = {
  name: 'record',
  summary: 'Records of zones',
  commands: [
    record.create<RecordChange>({
      usage: 'create <zone> <name> <type> [value..]',
      notes:
        'Several values of a TXT or SPF are its segments. A value may start with a hyphen (-all);\n' +
        'behind -- every word is one.',
      examples: [
        ['$0 example.com www A 192.0.2.1 --ttl 300', 'an address'],
        ['$0 example.com @ MX mail.example.com. --priority 20', 'mail'],
        ['$0 example.com @ TXT "v=spf1 mx -all"', 'a text'],
      ],
      fields: {
        type: 'type, like A or TXT, or TYPE and its number',
        value: list('value in master-file form, without the priority of MX and SRV'),
        segment,
        ttl: "TTL in seconds; the zone's default when left out",
        priority: 'priority of an MX or SRV; 10 when left out',
      },
      rest: 'value',
      presents: 'change',
      async prepare(values) {
        const { value: words, segment: segments, ...others } = values as unknown as Created;
        const value = await valueFromWords(others.type, words, segments);
        if (value === undefined) {
          throw usageFailure('the value is missing', "see 'zonebook record create --help'");
        }
        refusePriorityInValue('create', { ...others, value });
        return { ...others, value };
      },
      show(answer, output) {
        const which = answer.dry_run ? 'the record' : `record ${answer.record.id}`;
        return withDiff(`${done(answer, 'create')} ${which}`, answer.diff, output);
      },
    }),
    recordSet,
    record.list({
      usage: 'list [zone]',
      summary: 'List records of a zone, or of all zones',
      examples: [
        ['$0 example.com', 'the first thousand records by name'],
        ['$0 example.com --name www --type A', 'one RRset'],
        ['$0 --search 192.0.2. --all', 'in every zone, every page'],
        ["$0 example.com --changed-by anna --changed-since '2 days ago'", 'what is hers, and new'],
        ["$0 example.com --at '2h ago'", 'as the zone was then'],
      ],
      fields: {
        zone: 'name of the zone; all zones when left out',
        type: 'type, like A',
        value: 'part of the value',
        changedBy: 'name of the token, key or user that changed the RRset last',
        changedSince: 'changed at this time or later, like 2026-01-31T12:00:00Z or yesterday',
        signed: 'append the DNSSEC records of the zone',
        at: 'as the zone was then: a serial, or a time like 2026-01-31T12:00:00Z or monday',
      },
    }),
    record.get({
      summary: 'Show a record',
      examples: [['$0 7', 'the record with id 7']],
    }),
    record.update<RecordChange>({
      summary: 'Change a record; what is not named stays',
      examples: [
        ['$0 7 --value 192.0.2.2', 'another address'],
        ['$0 7 --ttl 600 --dry-run', 'what another TTL of its RRset would change'],
      ],
      fields: {
        name: 'another owner, relative to the zone',
        type: 'another type; needs a value too',
        value: list('another value; several of a TXT are its segments'),
        segment,
        ttl: 'another TTL for the whole RRset, in seconds',
        priority: 'another priority of an MX or SRV',
      },
      presents: 'change',
      async prepare(values) {
        const { type, value: words, segment: segments, ...others } = values as unknown as Typed;
        // Repeated values without a type can only be segments: no other value is said in pieces here.
        return { ...others, type, value: await valueFromWords(type ?? 'TXT', words, segments) };
      },
      show(answer, output, values) {
        const headline = `${done(answer, 'update')} record ${answer.record.id ?? values.id}`;
        const unchanged = answer.diff.entries.length === 0 ? ': nothing changes' : '';
        return withDiff(`${headline}${unchanged}`, answer.diff, output);
      },
    }),
    remove,
    passOn<RecordBulk>({
      usage: 'bulk <zone> <file>',
      route: 'createRecords',
      summary: 'Create many records at once, all or none',
      notes:
        'The file is a JSON array of records, or one record a line, each like\n' +
        '{"name": "www", "type": "A", "value": "192.0.2.1", "ttl": 300}',
      examples: [
        ['$0 example.com records.json', 'from a file'],
        ['generate | $0 example.com - --dry-run', 'check what another program made'],
      ],
      fields: {
        file: required('file with the records, or - for standard input'),
        records: null,
      },
      async prepare({ file, ...values }, { services }) {
        const name = String(file);
        return { ...values, records: parseRecords(await readAll(name, services), name) };
      },
      presents: 'change',
      show(answer, output) {
        const headline = `${done(answer, 'create')} ${counted(answer.added, 'record')}`;
        return withDiff(headline, answer.diff, output);
      },
    }),
    listed<HistoryEntry>({
      usage: 'history <id>',
      route: 'getRecordHistory',
      summary: 'Show who changed a record and when, newest first',
      notes: 'Records that have been deleted have a history too.',
      examples: [['$0 7', 'everything that happened to the record with id 7']],
      none: 'no changes',
      show: (entries, output) => historyText(entries, output),
    }),
  ],
};

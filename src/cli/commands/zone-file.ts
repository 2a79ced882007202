/**
 * `zone import` and `zone export`: zones as master files (RFC 1035 5).
 *
 * Both are as long as a zone: an import shows on a terminal how much of it is sent, an export is written piece by
 * piece as it comes.
 */
import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import {
  givenOverrides,
  optionOf,
  type SoaOverrides,
  isUnsupported,
  withOption,
  withoutSkipField,
} from '../../domain/imported-zone.ts';
import type { ImportReport } from '../answers.ts';
import { counted, done, firstOf, withDiff } from '../changes.ts';
import { type Client, type QueryValues, segment } from '../client.ts';
import { type Context, defineCommand, optionName } from '../command.ts';
import { exitCode, usageFailure } from '../failure.ts';
import { domainName, flag, serverAddress, text, whole } from '../field.ts';
import { requestOf } from '../from-contract.ts';
import { readUtf8 } from '../environment.ts';
import { moment } from '../moment.ts';
import type { Output } from '../output.ts';
import { exportMany } from './export-many.ts';
import { importMany, manyFields, type ManyValues } from './import-many.ts';
import { removedAtSignal } from '../temporary-files.ts';
import { onOneLine, ProgressBar } from '../terminal.ts';
import { withPath } from '../new-file.ts';

/** Arguments of an import that this side looks at; the service judges the others. */
interface ImportValues extends SoaOverrides, ManyValues {
  readonly name: string | undefined;
  readonly file: string | undefined;
  readonly fromServer: string | undefined;
  readonly create: boolean | undefined;
  readonly mode: string | undefined;
}

const importRequest = requestOf({
  usage: 'import [name] [file]',
  route: 'importZone',
  fields: {
    ...manyFields,
    file: text('master file, or - for standard input'),
    content: null,
    readCatalog: null,
    fromServer: serverAddress(text('host[:port] to transfer the zone from, instead of a file')),
  },
});

export const zoneImport = defineCommand({
  ...importRequest,
  usage: 'import [name] [file]',
  summary: 'Import a master file, or zones from another server, all or nothing',
  notes:
    'upsert and replace refuse a file without a record: its source is empty or has failed.\n' +
    'With --create the SOA of the file becomes that of the new zone. A value of it that can\n' +
    'not be held is refused in a line that ends in the option to give in its place.\n' +
    'Names of the file are not converted: those beyond ASCII are refused with their A-labels.\n' +
    'With --all-from-server and --all-from-folder each zone that does not exist is created and\n' +
    'filled, and those that exist are passed over. All are tried first: when one is refused none is\n' +
    'imported, unless --skip-refused says so. What is given in place of a value of the SOA is taken\n' +
    'for the zones alone that need it.',
  examples: [
    ['$0 example.com example.com.zone', 'add what the zone lacks'],
    ['$0 example.com - --mode replace --dry-run', 'what would change?'],
    ['$0 example.com --from-server 192.0.2.1 --create', 'a zone that moves here'],
    [
      '$0 example.com old.zone --create --mname ns1.example.net --serial 2026010101',
      'one whose SOA says neither',
    ],
    ['$0 --all-from-server 192.0.2.1 --zones zones.txt', 'all of a list, one name in each line'],
    ['$0 --all-from-server 192.0.2.1 --catalog catalog.example', 'all of its catalog'],
    ['$0 --all-from-folder zones --dry-run', 'is anything wrong with these files?'],
  ],
  presents: 'change',
  async run(values, context) {
    const given = values as unknown as ImportValues;
    const { name, file, fromServer, tsigKey, create } = given;
    if (given.allFromServer !== undefined || given.allFromFolder !== undefined) {
      refuseOneZone(given);
      return importMany(given, context);
    }
    refuseMany(given);
    if (name === undefined) {
      throw usageFailure('name a zone, or give --all-from-server or --all-from-folder');
    }
    if ((file === undefined) === (fromServer === undefined)) {
      throw usageFailure('name a file, or give --from-server', "see 'zonebook zone import --help'");
    }
    if (tsigKey !== undefined && fromServer === undefined) {
      throw usageFailure('--tsig-key goes with --from-server');
    }
    // Only a zone that is created takes what is given in place of the SOA of the file.
    const [override] = givenOverrides(given);
    if (override !== undefined && create !== true) {
      throw usageFailure(`${optionOf(override)} goes with --create`);
    }
    const content = file === undefined ? undefined : await readUtf8(file, context.services);
    const { path, body = {} } = importRequest.send({ ...values, content });
    const report = await send(name, context, path, body);
    const source = file === '-' ? 'standard input' : (file ?? fromServer ?? '');
    await context.output.show(report, () => reportText(name, source, report, context.output));
    context.foresee(importChanges(report));
    return report.errors.length > 0 ? exitCode.failure : exitCode.ok;
  },
});

/** Refuses what is for one zone where many are meant. */
function refuseOneZone({ name, file, fromServer, mode }: ImportValues): void {
  const given = { name, file, '--from-server': fromServer, '--mode': mode };
  const [first] = Object.entries(given).filter(([, value]) => value !== undefined);
  if (first === undefined) return;
  throw usageFailure(`${first[0]} is for one zone, not for many`);
}

/** Refuses what is for many zones where one is meant. */
function refuseMany(given: ImportValues): void {
  const names = ['zones', 'catalog', 'skipRefused'] as const;
  const first = names.find((each) => given[each] !== undefined);
  if (first === undefined) return;
  throw usageFailure(`--${optionName(first)} goes with --all-from-server`);
}

/** Milliseconds between two looks at the clock while the service works. */
const tickMs = 500;

async function send(
  name: string,
  context: Context,
  path: string,
  body: object,
): Promise<ImportReport> {
  const client = await context.client();
  const bar = new ProgressBar(`importing ${name}`, context.services);
  let sent = 0;
  let total = 1;
  let ticks = 0;
  // Once all is sent the service works for a while; the seconds show that something goes on.
  const timer = setInterval(() => {
    ticks++;
    const doing = sent < total ? 'sending' : 'sent, now the service works';
    bar.show(sent, total, `, ${doing}, ${Math.floor((ticks * tickMs) / 1000)} s`);
  }, tickMs);
  try {
    return await client.postFile<ImportReport>(path, body, (bytes, all) => {
      sent = bytes;
      total = all;
      bar.show(sent, total);
    });
  } finally {
    clearInterval(timer);
    bar.end();
  }
}

/** A zone that is made, or that goes past the serial of a server, changes without a record too. */
export function importChanges({ new_serial: serial }: ImportReport): boolean {
  return serial !== null;
}

export function reportText(
  name: string,
  source: string,
  report: ImportReport,
  output: Output,
): string {
  const { errors, skipped_records: skipped, summary } = report;
  const skippedLines = [
    ...firstOf(skipped, 'skipped records', output, (line) => `skipped ${onOneLine(line)}`),
    ...(summary.skipped > skipped.length ? [`${summary.skipped} skipped in all`] : []),
  ];
  if (errors.length > 0) {
    const found = counted(errors.length, 'error');
    const headline = output.paint.red(`nothing is imported: ${found} in ${onOneLine(source)}`);
    const lines = firstOf(errors, 'errors', output, (line) =>
      onOneLine(withOption(withoutSkipField(line))),
    );
    return [headline, ...lines, ...skipHelp(errors), ...skippedLines].join('\n');
  }
  const { added, deleted, updated, unchanged } = summary;
  const ofRecords = `${added} added, ${deleted} deleted, ${updated} updated, ${unchanged} unchanged`;
  // What changes without a record.
  const isSerialAlone = added + deleted + updated === 0 && importChanges(report);
  const counts = isSerialAlone ? `${ofRecords}; serial ${report.new_serial}` : ofRecords;
  const verb = done(report, 'import');
  const headline = `${verb} ${counted(summary.parsed, 'record')} into ${name}: ${counts}`;
  return [withDiff(headline, report.diff, output), ...skippedLines].join('\n');
}

/** What leaves out records of types that are not stored, once for all of them. */
function skipHelp(errors: readonly string[]): string[] {
  const count = errors.filter(isUnsupported).length;
  if (count === 0) return [];
  return [`--skip-unsupported leaves out what is not stored: ${counted(count, 'record')} of these`];
}

export const zoneExport = defineCommand({
  usage: 'export [name]',
  summary: 'Export a zone as a master file, or all as files of a folder',
  notes:
    'The file is written as it is, whatever --output says. With --all-to-folder each zone becomes\n' +
    'the file NAME.zone, a slash in its name being %2f; zone import --all-from-folder takes them. Zones\n' +
    'that did not exist at the time of --at are passed over.',
  examples: [
    ['$0 example.com --file example.com.zone', 'as it is now'],
    ['$0 example.com --at 2026-01-31T12:00:00Z', 'as it was at noon'],
    ['$0 --all-to-folder zones', 'all of them'],
  ],
  positionals: { name: domainName(text('name of the zone')) },
  options: {
    file: text('file to write; standard output when left out'),
    allToFolder: text('folder for a file of each zone; made when it does not exist'),
    signed: flag('append the DNSSEC records'),
    serial: whole('as it was at this serial'),
    deletedId: whole('id of a deleted zone of that name'),
    at: moment(text('as it was then: a serial or a time, like 2026-01-31T12:00:00Z or 2h ago')),
  },
  async run({ name, file, allToFolder, deletedId, ...rest }, context) {
    if ((name === undefined) === (allToFolder === undefined)) {
      throw usageFailure('name one zone, or give --all-to-folder');
    }
    const query = { ...rest, deleted_id: deletedId };
    if (allToFolder !== undefined) {
      if ((file ?? rest.serial ?? deletedId) !== undefined) {
        throw usageFailure('--file, --serial and --deleted-id are for one zone, not for all');
      }
      const client = await context.client();
      return exportMany(allToFolder, query, context, (zone, of, to) =>
        writeWhole(`/zones/${segment(zone)}/export`, of, to, client),
      );
    }
    const path = `/zones/${segment(name!)}/export`;
    if (file === undefined || file === '-') {
      const client = await context.client();
      const { stdout } = context.services;
      const decoder = new TextDecoder();
      await client.getText(path, query, (piece) => {
        stdout.write(decoder.decode(piece, { stream: true }));
      });
    } else {
      await writeWhole(path, query, file, await context.client());
    }
    return undefined;
  },
});

/** Writes beside the file, where no other export does, and moves it there in the end: one cut off replaces nothing. */
async function writeWhole(path: string, query: QueryValues, file: string, client: Client) {
  const partial = `${file}.partial-${randomUUID().slice(0, 8)}`;
  using _ = removedAtSignal(partial);
  const handle = await open(partial, 'w');
  try {
    try {
      await client.getText(path, query, (piece) =>
        withPath(partial, () => handle.writeFile(piece)),
      );
      await withPath(partial, () => handle.sync());
    } finally {
      await handle.close();
    }
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

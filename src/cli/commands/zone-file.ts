/**
 * `zone import` and `zone export`: zones as master files (RFC 1035 5).
 *
 * Both are as long as a zone: an import shows on a terminal how much of it is sent, an export is written piece by
 * piece as it comes.
 */
import { open, rename, rm } from 'node:fs/promises';
import {
  givenOverrides,
  optionOf,
  type SoaOverrides,
  withOption,
} from '../../domain/imported-zone.ts';
import type { ImportReport } from '../answers.ts';
import { counted, done, withDiff } from '../changes.ts';
import { type QueryValues, segment } from '../client.ts';
import { type Context, defineCommand } from '../command.ts';
import { exitCode, usageFailure } from '../failure.ts';
import { domainName, flag, required, serverAddress, text, whole } from '../field.ts';
import { requestOf } from '../from-contract.ts';
import { readUtf8 } from '../environment.ts';
import { moment } from '../moment.ts';
import { onOneLine, ProgressBar } from '../terminal.ts';

/** Arguments of an import that this side looks at; the service judges the others. */
interface ImportValues extends SoaOverrides {
  readonly name: string;
  readonly file: string | undefined;
  readonly fromServer: string | undefined;
  readonly tsigKey: string | undefined;
  readonly create: boolean | undefined;
}

const importRequest = requestOf({
  usage: 'import <name> [file]',
  route: 'importZone',
  fields: {
    file: text('master file, or - for standard input'),
    content: null,
    fromServer: serverAddress(text('host[:port] to transfer the zone from, instead of a file')),
  },
});

export const zoneImport = defineCommand({
  ...importRequest,
  usage: 'import <name> [file]',
  summary: 'Import a master file, or a zone from another server, all or nothing',
  notes:
    'upsert and replace refuse a file without a record: its source is empty or has failed.\n' +
    'With --create the SOA of the file becomes that of the new zone. A value of it that can\n' +
    'not be held is refused in a line that ends in the option to give in its place.\n' +
    'Names of the file are not converted: those beyond ASCII are refused with their A-labels.',
  examples: [
    ['$0 example.com example.com.zone', 'add what the zone lacks'],
    ['$0 example.com - --mode replace --dry-run', 'what would change?'],
    ['$0 example.com --from-server 192.0.2.1 --create', 'a zone that moves here'],
    [
      '$0 example.com old.zone --create --mname ns1.example.net --serial 2026010101',
      'one whose SOA says neither',
    ],
  ],
  async run(all, context) {
    const given = all as unknown as ImportValues;
    const { name, file, fromServer, tsigKey, create } = given;
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
    const { path, body = {} } = importRequest.send({ ...all, content });
    const report = await send(name, context, path, body);
    const source = file === '-' ? 'standard input' : (file ?? fromServer ?? '');
    await context.output.show(report, () => reportText(name, source, report, context));
    return report.errors.length > 0 ? exitCode.failure : exitCode.ok;
  },
});

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

export function reportText(
  name: string,
  source: string,
  report: ImportReport,
  { output }: Context,
): string {
  const { errors, skipped_records: skipped, summary } = report;
  const skippedLines = [
    ...skipped.map((line) => `skipped ${onOneLine(line)}`),
    ...(summary.skipped > skipped.length ? [`${summary.skipped} skipped in all`] : []),
  ];
  if (errors.length > 0) {
    const found = counted(errors.length, 'error');
    const headline = output.paint.red(`nothing is imported: ${found} in ${onOneLine(source)}`);
    const lines = errors.map((line) => onOneLine(withOption(line)));
    return [headline, ...lines, ...skippedLines].join('\n');
  }
  const { added, deleted, updated, unchanged } = summary;
  const counts = `${added} added, ${deleted} deleted, ${updated} updated, ${unchanged} unchanged`;
  const verb = done(report, 'import');
  const headline = `${verb} ${counted(summary.parsed, 'record')} into ${name}: ${counts}`;
  return [withDiff(headline, report.diff, output.paint), ...skippedLines].join('\n');
}

export const zoneExport = defineCommand({
  usage: 'export <name>',
  summary: 'Export a zone as a master file',
  notes: 'The file is written as it is, whatever --output says.',
  examples: [
    ['$0 example.com --file example.com.zone', 'as it is now'],
    ['$0 example.com --at 2026-01-31T12:00:00Z', 'as it was at noon'],
  ],
  positionals: { name: domainName(required('name of the zone')) },
  options: {
    file: text('file to write; standard output when left out'),
    signed: flag('append the DNSSEC records'),
    serial: whole('as it was at this serial'),
    deletedId: whole('id of a deleted zone of that name'),
    at: moment(text('as it was then: a serial or a time, like 2026-01-31T12:00:00Z or 2h ago')),
  },
  async run({ name, file, deletedId, ...rest }, context) {
    const query = { ...rest, deleted_id: deletedId };
    const path = `/zones/${segment(name)}/export`;
    if (file === undefined || file === '-') {
      const client = await context.client();
      const { stdout } = context.services;
      const decoder = new TextDecoder();
      await client.getText(path, query, (piece) => {
        stdout.write(decoder.decode(piece, { stream: true }));
      });
    } else {
      await writeWhole(path, query, file, context);
    }
    return undefined;
  },
});

/** Writes beside the file and moves it there in the end: one that is cut off replaces nothing. */
async function writeWhole(path: string, query: QueryValues, file: string, context: Context) {
  const client = await context.client();
  const partial = `${file}.partial`;
  const handle = await open(partial, 'w');
  try {
    try {
      await client.getText(path, query, async (piece) => {
        await handle.write(piece);
      });
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

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
  overrideFields,
  type SoaOverrides,
  withOption,
} from '../../domain/imported-zone.ts';
import type { ImportReport } from '../answers.ts';
import { counted, done, dryRun, withDiff } from '../changes.ts';
import { type QueryValues, segment } from '../client.ts';
import { type Context, defineCommand } from '../command.ts';
import { exitCode, usageFailure } from '../failure.ts';
import {
  choice,
  domainName,
  flag,
  mailAddress,
  required,
  serverAddress,
  text,
  whole,
} from '../field.ts';
import { readUtf8 } from '../input.ts';
import { onOneLine } from '../paint.ts';
import { ProgressBar } from '../progress.ts';

export const zoneImport = defineCommand({
  usage: 'import <name> [file]',
  summary: 'Import a master file, or a zone from another server, all or nothing',
  notes:
    'append adds what is missing; upsert makes each RRset of the file equal to the\n' +
    "file's; replace makes the zone equal to the file. upsert and replace refuse a file\n" +
    'without a record: its source is empty or has failed.\n' +
    'With --create the SOA of the file becomes that of the new zone. A value of it that can\n' +
    'not be held is refused in a line that ends in the option to give in its place.\n' +
    'Names of the file are not converted: those beyond ASCII are refused with their A-labels.',
  examples: [
    ['zonebook zone import example.com example.com.zone', 'add what the zone lacks'],
    ['zonebook zone import example.com - --mode replace --dry-run', 'what would change?'],
    ['zonebook zone import example.com --from-server 192.0.2.1 --create', 'a zone that moves here'],
    [
      'zonebook zone import example.com old.zone --create --mname ns1.example.net --serial 2026010101',
      'one whose SOA says neither',
    ],
  ],
  positionals: {
    name: domainName(required('name of the zone')),
    file: text('master file, or - for standard input'),
  },
  options: {
    mode: choice(['append', 'upsert', 'replace'], 'append when left out'),
    create: flag("create the zone from the file's SOA when it does not exist"),
    serial: whole("with --create, the first serial in place of the file's"),
    mname: domainName(text("with --create, the primary name server in place of the file's")),
    rname: mailAddress(text('with --create, the e-mail address of who is responsible')),
    minimumTtl: whole('with --create, how long negative answers are cached, in seconds'),
    refresh: whole('with --create, seconds between two checks of a secondary'),
    retry: whole('with --create, seconds until a failed check is repeated'),
    expire: whole('with --create, seconds after which a secondary gives the zone up'),
    skipUnsupported: flag('pass over records of types that are not stored, and list them'),
    fromServer: serverAddress(text('host[:port] to transfer the zone from, instead of a file')),
    tsigKey: text('name of the TSIG key that signs the transfer'),
    dryRun: flag(dryRun),
  },
  async run(values, context) {
    const { name, file, fromServer, tsigKey } = values;
    if ((file === undefined) === (fromServer === undefined)) {
      throw usageFailure('name a file, or give --from-server', "see 'zonebook zone import --help'");
    }
    if (tsigKey !== undefined && fromServer === undefined) {
      throw usageFailure('--tsig-key goes with --from-server');
    }
    const overrides = overridesOf(values);
    const content = file === undefined ? undefined : await readUtf8(file, context.services);
    const report = await send(name, context, {
      content,
      from_server: fromServer,
      tsig_key_name: tsigKey,
      mode: values.mode,
      create: values.create,
      ...overrides,
      skip_unsupported: values.skipUnsupported,
      dry_run: values.dryRun,
    });
    const source = file === '-' ? 'standard input' : (file ?? fromServer ?? '');
    await context.output.show(report, () => reportText(name, source, report, context));
    return report.errors.length > 0 ? exitCode.failure : exitCode.ok;
  },
});

/** What is given in place of the file's SOA; only a zone that is created takes it. */
function overridesOf({ create, ...values }: SoaOverrides & { create: boolean | undefined }) {
  const overrides = Object.fromEntries(
    (Object.keys(overrideFields) as (keyof SoaOverrides)[]).map((key) => [
      overrideFields[key],
      values[key],
    ]),
  );
  const [first] = givenOverrides(values);
  if (first !== undefined && create !== true) {
    throw usageFailure(`${optionOf(first)} goes with --create`);
  }
  return overrides;
}

/** Milliseconds between two looks at the clock while the service works. */
const tickMs = 500;

async function send(name: string, context: Context, body: object): Promise<ImportReport> {
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
    return await client.postFile<ImportReport>(
      `/zones/${segment(name)}/import`,
      body,
      (bytes, all) => {
        sent = bytes;
        total = all;
        bar.show(sent, total);
      },
    );
  } finally {
    clearInterval(timer);
    bar.end();
  }
}

function reportText(
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
    ['zonebook zone export example.com --file example.com.zone', 'as it is now'],
    ['zonebook zone export example.com --at 2026-01-31T12:00:00Z', 'as it was at noon'],
  ],
  positionals: { name: domainName(required('name of the zone')) },
  options: {
    file: text('file to write; standard output when left out'),
    signed: flag('append the DNSSEC records'),
    serial: whole('as it was at this serial'),
    at: text('as it was at this time, like 2026-01-31T12:00:00Z'),
  },
  async run({ name, file, ...query }, context) {
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

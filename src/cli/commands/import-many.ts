/**
 * `zone import --all-from-server` and `--all-from-folder`: many zones at once, each created and filled in one change.
 *
 * A zone that exists is passed over, so that a second run takes only what is missing. First all are tried, and none is
 * imported when one is refused; with `--skip-refused` the others are. A zone that is refused is not created.
 */
import pLimit from 'p-limit';
import {
  givenOverrides,
  overriddenBy,
  type SoaOverrides,
  isUnsupported,
  withOption,
} from '../../domain/imported-zone.ts';
import type { ImportReport, Warning } from '../answers.ts';
import { counted, leftOut } from '../changes.ts';
import { type Client, segment } from '../client.ts';
import { type Context, fieldName } from '../command.ts';
import { readUtf8 } from '../environment.ts';
import { CliFailure, exitCode, usageFailure } from '../failure.ts';
import { flag, domainName, serverAddress, text } from '../field.ts';
import type { Columns } from '../output.ts';
import { onOneLine, ProgressBar } from '../terminal.ts';
import { catalogMembers, filesOf, listedNames, storedNames } from './zone-list.ts';

export const manyFields = {
  allFromServer: serverAddress(text('host[:port] to transfer many zones from')),
  zones: text('with --all-from-server: file with a name in each line, or - for standard input'),
  catalog: domainName(text('with --all-from-server: its catalog zone that lists them (RFC 9432)')),
  allFromFolder: text('folder of master files, each called like its zone'),
  skipRefused: flag('with --all-...: import the zones that are not refused'),
};

/** Arguments of an import of many zones. */
export interface ManyValues extends SoaOverrides {
  readonly allFromServer: string | undefined;
  readonly zones: string | undefined;
  readonly catalog: string | undefined;
  readonly allFromFolder: string | undefined;
  readonly skipRefused: boolean | undefined;
  readonly tsigKey: string | undefined;
  readonly skipUnsupported: boolean | undefined;
  readonly dryRun: boolean | undefined;
}

type Outcome = 'imported' | 'importable' | 'refused' | 'exists';

/** What became of a zone. */
interface ZoneReport {
  readonly zone: string;
  /** `importable`: it was tried, and nothing is wrong with it. */
  readonly outcome: Outcome;
  /** Without the SOA. */
  readonly records: number;
  /** Records that were left out, each with its type. */
  readonly skipped_records: readonly string[];
  readonly errors: readonly string[];
  /** Of the SOA alone: what is said of records would be very much for many zones, and lint tells it of all. */
  readonly warnings: readonly Warning[];
}

/** A zone and what its import sends: the file is read when its turn comes. */
interface Source {
  readonly zone: string;
  body(): Promise<object>;
}

/** Requests in flight: half of what one caller may transfer at once (limits.importTransfers), so that two runs fit. */
const atOnce = 4;

export async function importMany(given: ManyValues, context: Context): Promise<number> {
  const client = await context.client();
  const sources = await sourcesOf(given, client, context);
  const run = new ManyImports(given, client, context);
  const stored = new Set(await storedNames(client));
  const missing = sources.filter(({ zone }) => !stored.has(zone));
  const isTrial = given.dryRun === true;
  const tried = isTrial || given.skipRefused !== true ? await run.all(missing, true) : undefined;
  const isHeldBack = run.failure !== undefined || summaryOf(tried ?? []).refused > 0;
  const reports = isTrial || isHeldBack ? tried! : await run.all(missing, false);
  const existing = sources.filter(({ zone }) => stored.has(zone));
  const zones = [...reports, ...existing.map(({ zone }) => reportOf(zone, 'exists'))];
  const answer = { applied: !isTrial && !isHeldBack, zones, summary: summaryOf(zones) };
  await context.output.show(answer, () => tableOf(answer, context));
  if (run.failure !== undefined) throw run.failure;
  const { refused, importable } = answer.summary;
  context.foresee(importable > 0);
  return refused > 0 && given.skipRefused !== true ? exitCode.failure : exitCode.ok;
}

/** The zones that are meant, each once. */
async function sourcesOf(
  { allFromServer, allFromFolder, zones, catalog, tsigKey }: ManyValues,
  client: Client,
  { services }: Context,
): Promise<Source[]> {
  if (allFromFolder !== undefined) {
    if ((allFromServer ?? zones ?? catalog ?? tsigKey) !== undefined) {
      throw usageFailure('--all-from-folder goes without what a server is asked');
    }
    return folderSources(allFromFolder, services);
  }
  if ((zones === undefined) === (catalog === undefined)) {
    throw usageFailure('--all-from-server needs --zones or --catalog, one of them');
  }
  const source = { from_server: allFromServer, tsig_key_name: tsigKey };
  const names =
    catalog === undefined
      ? await listedNames(zones!, services)
      : await catalogMembers(catalog, source, client);
  return names.map((zone) => ({ zone, body: async () => source }));
}

async function folderSources(folder: string, services: Context['services']): Promise<Source[]> {
  const byZone = Map.groupBy(await filesOf(folder), ({ zone }) => zone);
  return [...byZone].map(([zone, files]) => ({
    zone,
    async body() {
      const [{ path }, other] = files as [(typeof files)[0], (typeof files)[0]?];
      if (other === undefined) return { content: await readUtf8(path, services) };
      const message = `${path} and ${other.path} are both called like this zone`;
      throw new CliFailure(exitCode.failure, message);
    },
  }));
}

class ManyImports {
  /** Why the rest was not done: the service can not be reached, or refuses the caller. */
  failure: CliFailure | undefined;
  readonly #given: ManyValues;
  readonly #client: Client;
  readonly #context: Context;

  constructor(given: ManyValues, client: Client, context: Context) {
    this.#given = given;
    this.#client = client;
    this.#context = context;
  }

  /** Imports or tries zones; those that were not come to are not in the report. */
  async all(sources: readonly Source[], isTrial: boolean): Promise<ZoneReport[]> {
    const limit = pLimit(atOnce);
    const doing = `${isTrial ? 'trying' : 'importing'} ${counted(sources.length, 'zone')}`;
    const bar = new ProgressBar(doing, this.#context.services);
    let done = 0;
    const one = async (source: Source): Promise<ZoneReport[]> => {
      if (this.failure !== undefined) return [];
      try {
        return [await this.#one(source, isTrial)];
      } catch (error) {
        return this.#refused(source, error);
      } finally {
        bar.show(++done, sources.length);
      }
    };
    try {
      return (await limit.map(sources, one)).flat();
    } finally {
      bar.end();
    }
  }

  /** A refusal is about one zone; what ends the whole is kept. */
  #refused({ zone }: Source, error: unknown): ZoneReport[] {
    if (!(error instanceof CliFailure)) throw error;
    const { exitCode: code, message, hint } = error;
    if (code === exitCode.serviceNotReachable || code === exitCode.denied) {
      this.failure = error;
      return [];
    }
    const errors = [hint === undefined ? message : `${message}; ${hint}`];
    return [{ ...reportOf(zone, 'refused'), errors }];
  }

  async #one({ zone, body }: Source, isTrial: boolean): Promise<ZoneReport> {
    const { skipUnsupported = false } = this.#given;
    const fields = { ...(await body()), create: true, skip_unsupported: skipUnsupported };
    const send = (overrides: object) =>
      this.#client.postFile<ImportReport>(
        `/zones/${segment(zone)}/import`,
        { ...fields, ...overrides, dry_run: isTrial },
        () => {},
      );
    let report = await send({});
    const overrides = this.#overridesFor(report.errors);
    if (Object.keys(overrides).length > 0) report = await send(overrides);
    const { errors, skipped_records: skipped, summary } = report;
    const warnings = report.warnings.filter(({ type }) => type === 'SOA');
    if (errors.length > 0) {
      return { ...reportOf(zone, 'refused'), errors: errors.map((line) => this.#withHelp(line)) };
    }
    const outcome = isTrial ? 'importable' : 'imported';
    const records = summary.parsed;
    return { ...reportOf(zone, outcome), records, skipped_records: skipped, warnings };
  }

  /** What was given in place of the values that this zone can not have: all others keep theirs. */
  #overridesFor(errors: readonly string[]): object {
    const given: Readonly<Record<string, unknown>> = { ...this.#given };
    const wanted = new Set(errors.map(overriddenBy));
    const fields = givenOverrides(this.#given).filter((field) => wanted.has(field));
    return Object.fromEntries(fields.map((field) => [field, given[fieldName(field)]]));
  }

  #withHelp(line: string): string {
    const helped = withOption(line);
    const isUnnamed = helped === line && isUnsupported(line);
    return isUnnamed ? `${line}; give --skip-unsupported` : helped;
  }
}

function reportOf(zone: string, outcome: Outcome): ZoneReport {
  return { zone, outcome, records: 0, skipped_records: [], errors: [], warnings: [] };
}

function summaryOf(zones: readonly ZoneReport[]) {
  const count = (wanted: Outcome) => zones.filter(({ outcome }) => outcome === wanted).length;
  return {
    imported: count('imported'),
    importable: count('importable'),
    refused: count('refused'),
    exists: count('exists'),
    records: zones.reduce((sum, { records }) => sum + records, 0),
  };
}

const columns: Columns<ZoneReport> = [
  'zone',
  'outcome',
  ['records', ({ outcome, records }) => (outcome.startsWith('import') ? records : undefined)],
  ['detail', detailOf],
];

/** In a table one line is enough for each zone; all are in the JSON. */
function detailOf({ errors, skipped_records: skipped }: ZoneReport): string | undefined {
  const [first] = errors;
  if (first !== undefined) {
    return errors.length > 1 ? `${first} (and ${errors.length - 1} more)` : first;
  }
  return skipped.length === 0
    ? undefined
    : `left out: ${skipped.slice(0, 3).join(', ')}${more(skipped)}`;
}

function more(skipped: readonly string[]): string {
  return skipped.length > 3 ? ` and ${skipped.length - 3} more` : '';
}

function refusedFirst(one: ZoneReport, other: ZoneReport): number {
  return Number(other.outcome === 'refused') - Number(one.outcome === 'refused');
}

function tableOf(
  {
    applied,
    zones,
    summary,
  }: {
    readonly applied: boolean;
    readonly zones: readonly ZoneReport[];
    readonly summary: ReturnType<typeof summaryOf>;
  },
  { output }: Context,
): string {
  if (zones.length === 0) return 'no zones are named';
  const { imported, importable, refused, exists, records } = summary;
  const verb = applied
    ? 'imported'
    : refused > 0
      ? 'imported nothing; could import'
      : 'would import';
  const done = `${verb} ${counted(imported + importable, 'zone')} with ${counted(records, 'record')}`;
  const line = `${done}; ${refused} refused; ${exists} existed already`;
  // Where not all fit, those come first that were refused.
  const isCut = zones.length > output.maxLines;
  const first = isCut ? zones.toSorted(refusedFirst).slice(0, output.maxLines) : zones;
  const left = isCut ? [leftOut(zones.length - first.length, 'zones')] : [];
  return [output.rows(columns, first), ...left, onOneLine(line)].join('\n');
}

/**
 * `zone export --all-to-folder`: every zone that the caller sees, each as a file of its own. One that did not exist at
 * the time that is asked for is passed over.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { counted } from '../changes.ts';
import type { QueryValues } from '../client.ts';
import type { Context } from '../command.ts';
import { CliFailure, exitCode, sentenceOf } from '../failure.ts';
import { onOneLine, ProgressBar } from '../terminal.ts';
import { fileOfZone, storedNames } from './zone-list.ts';

/** Files that are written at a time. */
const atOnce = 4;
/** Zones that a line names. */
const maxNames = 5;

interface ExportedZone {
  readonly zone: string;
  readonly file: string;
  /** `absent`: there was no such zone then. */
  readonly outcome: 'exported' | 'absent' | 'refused';
  /** Why there is none; null when it is written or absent. */
  readonly error: string | null;
}

/** `write` fetches a zone and writes it whole or not at all. */
export async function exportMany(
  folder: string,
  query: QueryValues,
  context: Context,
  write: (zone: string, query: QueryValues, file: string) => Promise<void>,
): Promise<number> {
  const names = await storedNames(await context.client());
  await mkdir(folder, { recursive: true });
  const bar = new ProgressBar(`exporting ${counted(names.length, 'zone')}`, context.services);
  let done = 0;
  const one = async (zone: string): Promise<ExportedZone> => {
    const file = join(folder, fileOfZone(zone));
    try {
      await write(zone, query, file);
      return { zone, file, outcome: 'exported', error: null };
    } catch (error) {
      if (isAbsent(error)) return { zone, file, outcome: 'absent', error: null };
      return { zone, file, outcome: 'refused', error: reasonOf(error) };
    } finally {
      bar.show(++done, names.length);
    }
  };
  let zones: ExportedZone[];
  try {
    zones = await pLimit(atOnce).map(names, one);
  } finally {
    bar.end();
  }
  const of = (wanted: ExportedZone['outcome']) => zones.filter(({ outcome }) => outcome === wanted);
  const refused = of('refused');
  const absent = of('absent');
  const summary = {
    exported: of('exported').length,
    absent: absent.length,
    refused: refused.length,
  };
  await context.output.show({ zones, summary }, () =>
    [
      ...refused.map(({ zone, error }) => onOneLine(`zone ${zone} is not exported: ${error}`)),
      ...absentLines(absent),
      `exported ${counted(summary.exported, 'zone')} to ${onOneLine(folder)}`,
    ].join('\n'),
  );
  return refused.length > 0 ? exitCode.failure : exitCode.ok;
}

function absentLines(absent: readonly ExportedZone[]): string[] {
  if (absent.length === 0) return [];
  const named = absent.slice(0, maxNames).map(({ zone }) => onOneLine(zone));
  const more = absent.length > maxNames ? `, and ${absent.length - maxNames} more` : '';
  const zones = counted(absent.length, 'zone');
  return [`passed over ${zones} that did not exist then: ${named.join(', ')}${more}`];
}

/** That it did not exist at a time is said in these words only; versions that were forgotten have the code, too. */
function isAbsent(error: unknown): boolean {
  return (
    error instanceof CliFailure &&
    error.exitCode === exitCode.notFound &&
    error.message.includes("' had no version at ")
  );
}

/** What is about one zone; what ends the whole is thrown on. */
function reasonOf(error: unknown): string {
  const isFinal =
    error instanceof CliFailure &&
    (error.exitCode === exitCode.serviceNotReachable || error.exitCode === exitCode.denied);
  if (!(error instanceof Error) || isFinal) throw error;
  return error instanceof CliFailure ? error.message : sentenceOf(error);
}

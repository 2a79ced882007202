/** `zone export --all-to-folder`: every zone that the caller sees, each as a file of its own. */
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

interface ExportedZone {
  readonly zone: string;
  readonly file: string;
  /** Why there is none; null when it is written. */
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
      return { zone, file, error: null };
    } catch (error) {
      return { zone, file, error: reasonOf(error) };
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
  const refused = zones.filter(({ error }) => error !== null);
  const summary = { exported: zones.length - refused.length, refused: refused.length };
  await context.output.show({ zones, summary }, () =>
    [
      ...refused.map(({ zone, error }) => onOneLine(`zone ${zone} is not exported: ${error}`)),
      `exported ${counted(summary.exported, 'zone')} to ${onOneLine(folder)}`,
    ].join('\n'),
  );
  return refused.length > 0 ? exitCode.failure : exitCode.ok;
}

/** What is about one zone; what ends the whole is thrown on. */
function reasonOf(error: unknown): string {
  const isFinal =
    error instanceof CliFailure &&
    (error.exitCode === exitCode.serviceNotReachable || error.exitCode === exitCode.denied);
  if (!(error instanceof Error) || isFinal) throw error;
  return error instanceof CliFailure ? error.message : sentenceOf(error);
}

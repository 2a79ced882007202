/** Differences: how one is said, and that a terminal which would cut it asks for no more than it presents. */
import type { VersionDiff, ZoneDiff } from './answers.ts';
import { withDiff } from './changes.ts';
import type { Values } from './from-contract.ts';
import type { Output } from './output.ts';

/** One RRset more than a terminal shows at most: an answer with a cursor is one that would be cut. */
const presentedOf = ({ maxLines }: Output) => maxLines + 1;

/** The values that ask for as much as is presented, unless they say by themselves which part is wanted. */
export function asPresented(values: Values, output: Output): Values {
  const { limit, cursor, summary } = values;
  const isWhole = [limit, cursor, summary].every((value) => value === undefined);
  if (!isWhole || output.format !== 'table' || !Number.isFinite(output.maxLines)) return values;
  return { ...values, limit: presentedOf(output) };
}

/** The difference with the counts of all of it, where the answer is the part that a terminal shows. */
export async function withCounts<Found extends VersionDiff | ZoneDiff>(
  found: Found,
  sent: Values,
  output: Output,
  askSummary: (values: Values) => Promise<Found>,
): Promise<Found> {
  if (found.next_cursor === null || sent.limit !== presentedOf(output)) return found;
  const { summary } = (await askSummary({ ...sent, limit: undefined, summary: true })).diff;
  const total = summary.added + summary.changed + summary.removed;
  return { ...found, diff: { ...found.diff, summary, total }, next_cursor: null };
}

/** How the page is asked for that comes next, if one does. */
export function moreFollow(cursor: string | null): string {
  return cursor === null ? '' : `\nmore follow: --cursor ${cursor}`;
}

export function differenceText(
  title: string,
  { diff, next_cursor: next }: Pick<VersionDiff, 'diff' | 'next_cursor'>,
  output: Output,
): string {
  const { added, changed, removed } = diff.summary;
  const counts = `${added} added, ${changed} changed, ${removed} removed`;
  return `${withDiff(`${title}: ${counts} (RRsets)`, diff, output)}${moreFollow(next)}`;
}

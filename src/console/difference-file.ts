/** A difference as a file: all of it up to a limit, asked part by part. */
import type { DiffEntry, ZoneDiff } from './api.ts';
import { counted } from './counted.ts';
import { diffFiles } from './diff-text.ts';
import { partsOf, type Sides, zoneOfA } from './difference.ts';
import type { Saving } from './parts/save-button.tsx';

export type DiffForm = keyof typeof diffFiles;

/** RRsets of a file at most: some 50 MB. */
export const maxSavedRrsets = 200_000;
/** RRsets that are asked for at once. */
const partRrsets = 1000;

/** The texts of the file, one after the other. Throws a Problem. */
export async function* differenceFile(
  form: DiffForm,
  sides: Sides,
  { signal, report }: Saving,
): AsyncGenerator<string> {
  const { head, part: textOf, tail } = diffFiles[form];
  const zone = zoneOfA(sides);
  let count = 0;
  let isBegun = false;
  let isCut = false;
  for await (const { entries, of } of wholeOwners(partsOf(sides, partRrsets, signal))) {
    const { from_serial: first, to_serial: last } = of;
    if (!isBegun) yield head({ zone, serial: first }, { zone: sides.zone, serial: last });
    isBegun = true;
    if (count >= maxSavedRrsets) {
      isCut = true;
      break;
    }
    yield textOf(entries, zone, count === 0);
    count += entries.length;
    report(`${counted(count, 'RRset')} so far`);
  }
  yield tail(isCut);
  report(
    `${isCut ? 'There are more: the file has the first' : 'Saved:'} ${counted(count, 'RRset')}.`,
  );
}

interface OwnersOfPart {
  readonly entries: readonly DiffEntry[];
  readonly of: ZoneDiff;
}

/** The same parts, no owner in two of them: what is to be done at one is done at once. */
async function* wholeOwners(parts: AsyncIterable<ZoneDiff>): AsyncGenerator<OwnersOfPart> {
  let left: readonly DiffEntry[] = [];
  for await (const of of parts) {
    const all = [...left, ...of.diff.entries];
    const last = all.at(-1)?.name;
    const end = of.next_cursor === null ? all.length : all.findIndex(({ name }) => name === last);
    left = all.slice(end);
    yield { entries: all.slice(0, end), of };
  }
}

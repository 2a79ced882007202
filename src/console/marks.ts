/** Two versions that somebody marks, to compare them: of one zone, or of two. */
import { signal } from '@preact/signals';
import { get, type Listed, type VersionFacts, zonePath } from './api.ts';
import { at } from './moment.ts';
import { go, hrefOf } from './router.ts';
import { zoneOfPage } from './time-travel.ts';
import { say } from './write.ts';

export interface Mark {
  readonly zone: string;
  readonly serial: number;
}

export type MarkedSide = 'A' | 'B';

export const marks = signal<Readonly<Partial<Record<MarkedSide, Mark>>>>({});

export function setMark(side: MarkedSide, mark: Mark): void {
  marks.value = { ...marks.value, [side]: mark };
  const next = side === 'A' ? '' : ' Press = to compare.';
  say(`${side} is ${mark.zone} at serial ${mark.serial}.${next}`);
}

/** Marks what a change led to; without one the moment of the page. */
export async function markHere(side: MarkedSide, row: DOMStringMap | undefined): Promise<void> {
  if (row?.zone !== undefined && row.serial !== undefined) {
    return setMark(side, { zone: row.zone, serial: Number(row.serial) });
  }
  const zone = zoneOfPage();
  if (zone === undefined) return void say('Only a zone, or a change of one, can be marked.');
  try {
    const query = { limit: 1, at: at.value };
    const { items } = await get<Listed<VersionFacts>>(zonePath(zone, '/versions'), query);
    if (items[0] === undefined) say('The zone has no version here.');
    else setMark(side, { zone, serial: items[0].serial });
  } catch (error) {
    say((error as Error).message);
  }
}

/** Leads to the comparison of what is marked; B is now where none is. */
export function compareMarked(): void {
  const { A, B } = marks.value;
  const zone = B?.zone ?? zoneOfPage() ?? A?.zone;
  const from = A === undefined ? at.value : String(A.serial);
  if (zone === undefined || from === '') return void say('Mark A first: m a.');
  const other = A === undefined || A.zone === zone ? undefined : A.zone;
  const to = B && String(B.serial);
  go(hrefOf(['zones', zone, 'compare'], { from, with: other, to, at: undefined }));
}

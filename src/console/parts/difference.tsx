/** What leads from A to B, by pages: files of it, and the way back to A, as a whole or for RRsets that are ticked. */
import type { Diff, Zone } from '../api.ts';
import { counted } from '../counted.ts';
import { differenceOf, momentText, rollbackOf, type Sides, takingOf } from '../difference.ts';
import { useLoaded } from '../loading.ts';
import { isReadOnly } from '../deleted.ts';
import { may } from '../permissions.ts';
import { pending } from '../write.ts';
import { CursorPages } from './cursor-pages.tsx';
import { DifferenceFiles } from './difference-files.tsx';
import { DiffTable, type Ticks, useTicks } from './diff.tsx';
import { Answered } from './states.tsx';
import { visible } from './text.tsx';

/** RRsets of a page. */
const pageRrsets = 200;
/** Lines of a page: an RRset may have thousands of values. */
const pageLines = 1000;

interface DifferenceProps {
  readonly zone: Zone;
  readonly sides: Sides;
}

export function Difference({ zone, sides }: DifferenceProps) {
  const loaded = useLoaded((signal) => differenceOf(sides, { summary: true }, signal), []);
  const { ticks, ticked } = useTicks();
  const canTake =
    !isReadOnly.value && may(zone.name, 'record:create', 'record:update', 'record:delete');
  const of = sides.other === '' ? '' : ` of ${visible(sides.other)}`;
  return (
    <Answered loaded={loaded}>
      {({ diff: { summary }, from_serial: first, to_serial: last }) => (
        <>
          <p role="status">
            From {momentText(sides.from)} (serial {first}){of} to {momentText(sides.to)} (serial{' '}
            {last}): {summary.added} added, {summary.changed} changed, {summary.removed} removed.
          </p>
          <div class="selection">
            {canTake && ticked.length > 0 && (
              <button
                type="button"
                onClick={() => {
                  pending.value = takingOf(sides, ticked, first);
                }}
              >
                Take {counted(ticked.length, 'ticked RRset')} from A
              </button>
            )}
            {sides.other === '' && !isReadOnly.value && may(zone.name, 'zone:update') && (
              <button
                type="button"
                onClick={() => {
                  pending.value = rollbackOf(zone.name, first);
                }}
              >
                Make A the present
              </button>
            )}
            <DifferenceFiles sides={sides} serials={[first, last]} />
          </div>
          <CursorPages
            load={(cursor, signal) => {
              const part = { limit: pageRrsets, ...(cursor !== '' && { cursor }) };
              return differenceOf(sides, part, signal);
            }}
            more={() => 'More RRsets'}
          >
            {({ diff }) => <Part diff={diff} ticks={canTake ? ticks : undefined} />}
          </CursorPages>
        </>
      )}
    </Answered>
  );
}

interface PartProps {
  readonly diff: Diff;
  readonly ticks: Ticks | undefined;
}

function Part({ diff, ticks }: PartProps) {
  const isAll = diff.entries.findIndex((entry) => !ticks?.has(entry)) < 0;
  return (
    <>
      {ticks !== undefined && diff.entries.length > 1 && (
        <button type="button" class="quiet" onClick={() => ticks.tick(diff.entries, !isAll)}>
          {isAll ? 'Untick' : 'Tick'} these {counted(diff.entries.length, 'RRset')}
        </button>
      )}
      <DiffTable diff={diff} limit={pageLines} ticks={ticks} />
    </>
  );
}

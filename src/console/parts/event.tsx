/** One change as a card: who, when, why, what. */
import type { Event } from '../api.ts';
import { rollbackOf } from '../difference.ts';
import { compareMarked, type Mark, marks, setMark } from '../marks.ts';
import { mayRollBack, mayWhole } from '../permissions.ts';
import { hrefOf } from '../router.ts';
import { isUndoable, undoOf } from '../undo.ts';
import { actorText, eventTitle } from '../words.ts';
import { deletedId, isReadOnly, scopeOf, tabHref } from '../deleted.ts';
import { clockOf } from '../moment.ts';
import { pending } from '../write.ts';
import { EventDetails, Reference } from './event-details.tsx';
import { FoldedDiff, RecordCounts } from './event-diff.tsx';
import { Ago, visible } from './text.tsx';

const justBefore = (at: string) => new Date(Date.parse(at) - 1).toISOString();

export function EventCard({
  event,
  hasZone,
}: {
  readonly event: Event;
  readonly hasZone: boolean;
}) {
  const { zone, serial } = event;
  const isHere = zone !== null && (!zone.deleted || deletedId.value === zone.id);
  const isReadable = isHere && serial !== null;
  const canUndo = !isReadOnly.value && isUndoable(event);
  return (
    <article
      class="event"
      data-row
      data-zone={isReadable ? zone.name : undefined}
      data-serial={isReadable ? serial : undefined}
      tabIndex={-1}
      aria-labelledby={`event-${event.seq}`}
    >
      <header>
        <h3 id={`event-${event.seq}`}>{eventTitle(event)}</h3>
        {hasZone && zone !== null && (
          <a href={hrefOf(['zones', zone.name, 'timeline'], { at: undefined })}>
            {visible(zone.name)}
          </a>
        )}
        <span class="by">
          {visible(actorText(event))}
          {event.actor?.claimed && <span class="muted"> (as it said)</span>}
        </span>
        <span class="badge">{event.source}</span>
        {serial !== null && <span class="muted">serial {serial}</span>}
        <RecordCounts event={event} />
        <span class="muted">
          {clockOf(event.at)}, <Ago time={event.at} />
        </span>
      </header>
      {event.reason !== null && <p class="reason">{visible(event.reason)}</p>}
      {event.reference !== null && <Reference text={event.reference} />}
      <FoldedDiff event={event} />
      {event.redacted && <p class="muted">It had more than you may read.</p>}
      {(isReadable || canUndo) && (
        <nav aria-label={`Change ${event.seq}`}>
          {isReadable && <Moments zone={zone.name} at={event.at} />}
          {isReadable && deletedId.value === undefined && (
            <CompareWith zone={zone.name} serial={serial} />
          )}
          {canUndo && <Undo event={event} />}
          {isReadable && !isReadOnly.value && mayRollBack(zone.name) && (
            <RollBack zone={zone.name} serial={serial} />
          )}
        </nav>
      )}
      <EventDetails event={event} />
    </article>
  );
}

function Moments({ zone, at }: { readonly zone: string; readonly at: string }) {
  const before = { at: undefined, from: justBefore(at), to: undefined };
  return (
    <>
      <a href={tabHref(zone, 'records', { at })}>View zone then</a>
      {mayWhole(scopeOf(zone), 'record:read') && (
        <a href={tabHref(zone, 'compare', before)}>
          Compare with {deletedId.value === undefined ? 'now' : 'the end'}
        </a>
      )}
    </>
  );
}

/** The first press marks A, the next one compares it with another change, of this zone or another. */
function CompareWith(mark: Mark) {
  const isSecond = marks.value.A !== undefined;
  const press = () => {
    setMark(isSecond ? 'B' : 'A', mark);
    if (!isSecond) return;
    compareMarked();
    marks.value = {};
  };
  return (
    <button type="button" class="quiet" onClick={press}>
      {isSecond ? 'Compare with A' : 'Compare with…'}
    </button>
  );
}

function Undo({ event }: { readonly event: Event }) {
  const start = () => {
    pending.value = undoOf(event);
  };
  return (
    <button type="button" class="quiet" data-undo onClick={start}>
      Undo this change
    </button>
  );
}

function RollBack({ zone, serial }: { readonly zone: string; readonly serial: number }) {
  const start = () => {
    pending.value = rollbackOf(zone, serial);
  };
  const compare = { at: undefined, from: String(serial), to: undefined };
  return (
    <>
      <button type="button" class="quiet" onClick={start}>
        Roll back to here
      </button>
      <a href={hrefOf(['zones', zone, 'compare'], compare)}>Roll back some RRsets</a>
    </>
  );
}

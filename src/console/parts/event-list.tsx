/** Events by days, with those that the service makes by itself folded, and older ones on demand. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Event, type EventPage, get, type Query } from '../api.ts';
import { counted } from '../counted.ts';
import { useLive } from '../live.ts';
import { useLoaded } from '../loading.ts';
import { dayOf } from '../moment.ts';
import { isRoutine } from '../routine.ts';
import { EventCard } from './event.tsx';
import { EventFiles } from './event-files.tsx';
import { LiveBar } from './live-bar.tsx';
import { Answered, Empty } from './states.tsx';

const shownAtOnce = 50;

interface EventListProps {
  readonly query: Query;
  /** Of files of it. */
  readonly name: string;
  readonly hasZone: boolean;
  /** Whether new events are followed: not where the list ends at a time. */
  readonly isLive: boolean;
  /** What stands below the oldest event. */
  readonly end?: ComponentChildren;
}

export function EventList(props: EventListProps) {
  const { query, name } = props;
  const key = JSON.stringify(query);
  return (
    <>
      <EventFiles key={key} query={query} name={name} />
      <Anchored key={key} {...props} />
    </>
  );
}

/** The list as it was when it was opened, and what has come since. Nothing in it moves by itself. */
function Anchored(props: EventListProps) {
  const [round, setRound] = useState(0);
  const newest = useLoaded((signal) => get<EventPage>('/events', { limit: 1 }, signal), [round]);
  const anchor = useRef<number>(undefined);
  if (newest.value !== undefined) anchor.current ??= newestOf(newest.value);
  if (anchor.current === undefined) return <Answered loaded={newest}>{() => null}</Answered>;
  const again = () => {
    anchor.current = undefined;
    setRound(round + 1);
  };
  return <Pages key={anchor.current} {...props} anchor={anchor.current} again={again} />;
}

/** The number of the newest event that the caller sees, or one below which it is; 0 for none. */
function newestOf({ items, next_before: next }: EventPage): number {
  return items[0]?.seq ?? (next === null ? 0 : next - 1);
}

interface PagesProps extends EventListProps {
  /** The number of the newest event, of any kind, when the list was opened; 0 for none. */
  readonly anchor: number;
  readonly again: () => void;
}

/** Pages one below the other: each begins where the one before has ended, whatever was written since. */
function Pages({ query, hasZone, isLive, anchor, again, end }: PagesProps) {
  const [starts, setStarts] = useState<readonly number[]>([anchor + 1]);
  const [shownUpTo, setShownUpTo] = useState(anchor);
  const isAsked = useRef(false);
  const live = useLive(query, isLive ? anchor : undefined);
  const show = () => {
    if (live.isFull) return again();
    isAsked.current = true;
    setShownUpTo(live.events.at(-1)?.seq ?? anchor);
  };
  // The button that was pressed goes; the newest change has the focus then.
  useEffect(() => {
    if (isAsked.current) document.querySelector<HTMLElement>('main article')?.focus();
    isAsked.current = false;
  }, [shownUpTo]);
  // What was written here is not kept back.
  useEffect(() => {
    if (live.ownWrites > 0) setShownUpTo(live.events.at(-1)?.seq ?? anchor);
  }, [live.ownWrites]);
  const taken = live.events.filter(({ seq }) => seq <= shownUpTo).toReversed();
  return (
    <>
      {isLive && <LiveBar live={live} count={live.events.length - taken.length} show={show} />}
      {starts.map((before, index) => (
        <Page
          key={before}
          query={query}
          before={before}
          newer={index === 0 ? taken : []}
          hasZone={hasZone}
          isFirst={index === 0}
          isLast={index === starts.length - 1}
          more={(next) => setStarts([...starts, next])}
          end={end}
        />
      ))}
    </>
  );
}

interface PageProps {
  readonly query: Query;
  readonly before: number;
  /** Events that came since the list was opened, newest first. */
  readonly newer: readonly Event[];
  readonly hasZone: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly more: (next: number) => void;
  readonly end: ComponentChildren;
}

function Page({ query, before, newer, hasZone, isFirst, isLast, more, end }: PageProps) {
  const loaded = useLoaded(
    (signal) => get<EventPage>('/events', { ...query, before, limit: shownAtOnce }, signal),
    [before],
  );
  return (
    <Answered loaded={loaded}>
      {({ items, next_before: next }) => (
        <>
          {isFirst && items.length + newer.length === 0 && next === null && (
            <Empty>
              <p>No changes match.</p>
            </Empty>
          )}
          {groupsOf([...newer, ...items]).map(({ day, groups }) => (
            <section key={day} class="day">
              <h2>{day}</h2>
              {groups.map((group) =>
                group.length > 1 ? (
                  <Routine key={group[0]!.seq} events={group} hasZone={hasZone} />
                ) : (
                  <EventCard key={group[0]!.seq} event={group[0]!} hasZone={hasZone} />
                ),
              )}
            </section>
          ))}
          {isLast && next !== null && (
            <button type="button" onClick={() => more(next)}>
              Older changes
            </button>
          )}
          {next === null && end}
        </>
      )}
    </Answered>
  );
}

function Routine({
  events,
  hasZone,
}: {
  readonly events: readonly Event[];
  readonly hasZone: boolean;
}) {
  return (
    <details class="routine">
      <summary>{counted(events.length, 'signing run')} of the service</summary>
      {events.map((event) => (
        <EventCard key={event.seq} event={event} hasZone={hasZone} />
      ))}
    </details>
  );
}

/** By day; what the service does by itself in one group where several stand together. */
function groupsOf(events: readonly Event[]) {
  const days: { day: string; groups: Event[][] }[] = [];
  for (const event of events) {
    const day = dayOf(event.at);
    if (days.at(-1)?.day !== day) days.push({ day, groups: [] });
    const { groups } = days.at(-1)!;
    const last = groups.at(-1);
    if (isRoutine(event) && last !== undefined && isRoutine(last[0]!)) last.push(event);
    else groups.push([event]);
  }
  return days;
}

/** Events by days, with those that the service makes by itself folded, and older ones on demand. */
import { useState } from 'preact/hooks';
import { type Event, get } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { dayOf } from '../moment.ts';
import { isRoutine } from '../words.ts';
import { EventCard } from './event.tsx';
import { Answered, Empty } from './states.tsx';
import { counted } from './text.tsx';

const shownAtOnce = 50;

interface EventPage {
  readonly items: readonly Event[];
  readonly next_before: number | null;
}

type Query = Readonly<Record<string, string | undefined>>;

export function EventList({
  query,
  hasZone,
}: {
  readonly query: Query;
  readonly hasZone: boolean;
}) {
  const key = JSON.stringify(query);
  return <Pages key={key} query={query} hasZone={hasZone} />;
}

/** Pages one below the other: each begins where the one before has ended, whatever was written since. */
function Pages({ query, hasZone }: { readonly query: Query; readonly hasZone: boolean }) {
  const [starts, setStarts] = useState<readonly (number | undefined)[]>([undefined]);
  return (
    <>
      {starts.map((before, index) => (
        <Page
          key={before ?? 0}
          query={query}
          before={before}
          hasZone={hasZone}
          isLast={index === starts.length - 1}
          more={(next) => setStarts([...starts, next])}
        />
      ))}
    </>
  );
}

interface PageProps {
  readonly query: Query;
  readonly before: number | undefined;
  readonly hasZone: boolean;
  readonly isLast: boolean;
  readonly more: (next: number) => void;
}

function Page({ query, before, hasZone, isLast, more }: PageProps) {
  const loaded = useLoaded(
    (signal) => get<EventPage>('/events', { ...query, before, limit: shownAtOnce }, signal),
    [before],
  );
  return (
    <Answered loaded={loaded}>
      {({ items, next_before: next }) => (
        <>
          {items.length === 0 && before === undefined && next === null && (
            <Empty>
              <p>No changes match.</p>
            </Empty>
          )}
          {groupsOf(items).map(({ day, groups }) => (
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

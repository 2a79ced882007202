/**
 * What stands out in the life of a zone: tags, rollbacks, its deletions, and steps of its keys, as marks above the bars
 * and as lists below.
 */
import {
  type Activity,
  type Event,
  type EventPage,
  get,
  type Listed,
  type Tag,
  type Zone,
  zonePath,
} from '../api.ts';
import { counted } from '../counted.ts';
import { deletedId, eventsOf, tabHref } from '../deleted.ts';
import { useLoaded } from '../loading.ts';
import { hrefWith } from '../router.ts';
import { offsetOf } from '../spans.ts';
import { isRoutine } from '../routine.ts';
import { eventTitle } from '../words.ts';
import { Ago, visible } from './text.tsx';

/** Of each kind; of more the latest are marked. */
const marksAtOnce = 100;

/** An event that stands out. */
interface MarkedEvent {
  readonly sign: string;
  readonly event: Event;
}

export interface Marks {
  readonly tags: readonly Tag[];
  readonly events: readonly MarkedEvent[];
  /** From when on there are versions, where some were deleted. */
  readonly retainedFrom?: string | undefined;
}

/** The kinds of events that stand out, those of signing as far as they are of keys. */
const signs = { 'zone.rolled-back': '↶', 'zone.deleted': '✕', 'zone.signed': '◆' } as const;

export function useMarks(zone: Zone): Marks {
  const tags = useLoaded(
    async (signal) => {
      // Those of a deleted zone are not served.
      if (deletedId.value !== undefined) return undefined;
      return get<Listed<Tag>>(zonePath(zone.name, '/tags'), { limit: marksAtOnce }, signal);
    },
    [zone.name, zone.serial],
  );
  const events = useLoaded(
    async (signal) => {
      const marked = Object.entries(signs).map(async ([kind, sign]) => {
        const query = { ...eventsOf(zone), kind, limit: marksAtOnce };
        const { items } = await get<EventPage>('/events', query, signal);
        return items.filter((event) => !isRoutine(event)).map((event) => ({ sign, event }));
      });
      return (await Promise.all(marked)).flat();
    },
    [zone.name, zone.serial],
  );
  return { tags: tags.value?.items ?? [], events: events.value ?? [] };
}

/** The marks above the bars, each where it was made. */
export function MarkLine({
  activity,
  marks,
}: {
  readonly activity: Activity;
  readonly marks: Marks;
}) {
  const all = [
    ...marks.tags.map(({ name, created_at: at }) => ({ sign: '⚑', at, name })),
    ...marks.events.map(({ sign, event: { seq, at } }) => ({ sign, at, name: String(seq) })),
  ];
  return (
    <svg class="marks" aria-hidden="true">
      {all.map(({ sign, at, name }) => {
        const offset = offsetOf(activity, at);
        if (offset === undefined) return null;
        return (
          <text key={`${sign} ${name}`} x={`${offset * 100}%`} y="14" text-anchor="middle">
            {sign}
          </text>
        );
      })}
    </svg>
  );
}

export function MarkLists({
  zone,
  marks: { tags, events },
}: {
  readonly zone: Zone;
  readonly marks: Marks;
}) {
  const of = (sign: string) => events.filter((each) => each.sign === sign);
  const steps = of('◆');
  return (
    <>
      {tags.length > 0 && (
        <ul class="controls" aria-label="Tags">
          {tags.map(({ name, serial }) => (
            <li key={name}>
              <a
                href={tabHref(zone.name, 'compare', {
                  from: String(serial),
                  at: undefined,
                })}
              >
                <span aria-hidden="true">⚑ </span>
                {visible(name)}
              </a>{' '}
              <span class="muted">serial {serial}</span>
            </li>
          ))}
        </ul>
      )}
      <EventMarks label="Rollbacks" marked={of('↶')} />
      <EventMarks label="Deletions" marked={of('✕')} />
      {steps.length > 0 && (
        <details>
          <summary>
            <span aria-hidden="true">◆ </span>
            {counted(steps.length, 'step')} of keys and signing
          </summary>
          <EventMarks label="Steps of keys and signing" marked={steps} />
        </details>
      )}
    </>
  );
}

function EventMarks({
  label,
  marked,
}: {
  readonly label: string;
  readonly marked: readonly MarkedEvent[];
}) {
  if (marked.length === 0) return null;
  return (
    <ul class="controls" aria-label={label}>
      {marked.map(({ sign, event }) => (
        <li key={event.seq}>
          <a href={hrefWith({ since: event.at, until: event.at })}>
            <span aria-hidden="true">{sign} </span>
            {eventTitle(event)}
          </a>{' '}
          <span class="muted">
            {event.serial !== null && `as serial ${event.serial}, `}
            <Ago time={event.at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

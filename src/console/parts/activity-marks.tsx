/** What stands out in the life of a zone: tags and rollbacks, as marks above the bars and as lists below. */
import {
  type Activity,
  type Event,
  get,
  type Listed,
  type Tag,
  type Zone,
  zonePath,
} from '../api.ts';
import { deletedId, eventsOf, tabHref } from '../deleted.ts';
import { useLoaded } from '../loading.ts';
import { hrefWith } from '../router.ts';
import { offsetOf } from '../spans.ts';
import { Ago, visible } from './text.tsx';

/** Of each kind; of more the latest are marked. */
const marksAtOnce = 100;

export interface Marks {
  readonly tags: readonly Tag[];
  readonly rollbacks: readonly Event[];
  /** From when on there are versions, where some were deleted. */
  readonly retainedFrom?: string | undefined;
}

export function useMarks(zone: Zone): Marks {
  const tags = useLoaded(
    async (signal) => {
      // Those of a deleted zone are not served.
      if (deletedId.value !== undefined) return undefined;
      return get<Listed<Tag>>(zonePath(zone.name, '/tags'), { limit: marksAtOnce }, signal);
    },
    [zone.name, zone.serial],
  );
  const query = { ...eventsOf(zone), kind: 'zone.rolled-back', limit: marksAtOnce };
  const rollbacks = useLoaded(
    (signal) => get<{ items: readonly Event[] }>('/events', query, signal),
    [zone.name, zone.serial],
  );
  return { tags: tags.value?.items ?? [], rollbacks: rollbacks.value?.items ?? [] };
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
    ...marks.rollbacks.map(({ seq, at }) => ({ sign: '↶', at, name: String(seq) })),
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
  marks: { tags, rollbacks },
}: {
  readonly zone: Zone;
  readonly marks: Marks;
}) {
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
      {rollbacks.length > 0 && (
        <ul class="controls" aria-label="Rollbacks">
          {rollbacks.map(({ seq, at, serial }) => (
            <li key={seq}>
              <a href={hrefWith({ since: at, until: at })}>
                <span aria-hidden="true">↶ </span>
                Rolled back
              </a>{' '}
              <span class="muted">
                as serial {serial}, <Ago time={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

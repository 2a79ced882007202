/**
 * How much changed in a zone over time, as bars: added above the line, removed below it. A range of it, by the pointer
 * or by keys, filters the changes below. All of it is in a table too.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Activity, get, type Listed, type Tag, type Zone, zonePath } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { absolute, at } from '../moment.ts';
import { go, hrefOf, hrefWith, parameter } from '../router.ts';
import {
  endOf,
  nextActive,
  rangeOf,
  type SpanRange,
  spanCount,
  spanText,
  startOf,
} from '../spans.ts';
import { ActivityBars } from './activity-bars.tsx';
import { ActivityTable } from './activity-table.tsx';
import { Answered } from './states.tsx';
import { visible } from './text.tsx';

/** Tags that are named below the strip. */
const tagsAtOnce = 100;

export function ActivityStrip({ zone }: { readonly zone: Zone }) {
  const [from, to] = [parameter('from'), parameter('to') || at.value];
  const query = { from, to, buckets: spanCount(innerWidth) };
  const loaded = useLoaded(
    (signal) => get<Activity>(zonePath(zone.name, '/activity'), query, signal),
    [zone.name, zone.serial, from, to],
  );
  return (
    <section class="activity" aria-label="Activity">
      <Answered loaded={loaded}>
        {(activity) => <Strip activity={activity} key={`${from} ${to}`} />}
      </Answered>
      <Tags zone={zone} />
    </section>
  );
}

function filterBy(activity: Activity, { first, last }: SpanRange): void {
  go(hrefWith({ since: startOf(activity, first), until: endOf(activity, last) }), 'replace');
}

/** Both ends of what was pointed at, in the order of pointing. */
interface Pointed {
  readonly anchor: number;
  readonly cursor: number;
}

const rangeBetween = ({ anchor, cursor }: Pointed): SpanRange => {
  return { first: Math.min(anchor, cursor), last: Math.max(anchor, cursor) };
};

function Strip({ activity }: { readonly activity: Activity }) {
  const [pointed, setPointed] = useState<Pointed>();
  const isDragging = useRef(false);
  const [since, until] = [parameter('since'), parameter('until')];
  useEffect(() => {
    if (since === '' && until === '') setPointed(undefined);
  }, [since, until]);
  const chosen = rangeOf(activity, since, until);
  const range = pointed === undefined ? chosen : rangeBetween(pointed);
  const { length } = activity.items;
  const spanAt = (event: PointerEvent): number => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    const index = Math.floor(((event.clientX - left) / width) * length);
    return Math.max(0, Math.min(length - 1, index));
  };
  const down = (event: PointerEvent) => {
    isDragging.current = true;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    setPointed({ anchor: spanAt(event), cursor: spanAt(event) });
  };
  const drag = (event: PointerEvent) => {
    if (isDragging.current && pointed !== undefined) {
      setPointed({ ...pointed, cursor: spanAt(event) });
    }
  };
  const up = () => {
    isDragging.current = false;
    if (pointed !== undefined) filterBy(activity, rangeBetween(pointed));
  };
  const choose = (index: number) => {
    setPointed(undefined);
    filterBy(activity, { first: index, last: index });
  };
  const text = spanText(activity, range ?? { first: 0, last: length - 1 });
  return (
    <>
      <div
        class="strip"
        role="slider"
        tabIndex={0}
        aria-label="Activity over time"
        aria-valuemin={0}
        aria-valuemax={length - 1}
        aria-valuenow={pointed?.cursor ?? range?.last ?? length - 1}
        aria-valuetext={text}
        aria-describedby="strip-keys"
        onPointerDown={down}
        onPointerMove={drag}
        onPointerUp={up}
        onKeyDown={(event) => stripKey(event, { activity, pointed, setPointed, range })}
      >
        <ActivityBars activity={activity} range={range} />
      </div>
      <p class="ends" aria-hidden="true">
        <span>{absolute(startOf(activity, 0))}</span>
        <span>{absolute(activity.to)}</span>
      </p>
      <p>{text}</p>
      <Controls activity={activity} range={range} isFiltered={chosen !== undefined} />
      <p id="strip-keys" class="unseen">
        Arrow keys go from change to change, with Shift they take a range. Enter shows its changes
        alone, Escape all, plus and minus zoom.
      </p>
      <ActivityTable activity={activity} choose={choose} />
    </>
  );
}

interface StripState {
  readonly activity: Activity;
  readonly pointed: Pointed | undefined;
  readonly setPointed: (pointed: Pointed | undefined) => void;
  readonly range: SpanRange | undefined;
}

function stripKey(event: KeyboardEvent, { activity, pointed, setPointed, range }: StripState) {
  const { length } = activity.items;
  const cursor = pointed?.cursor ?? range?.last ?? length;
  const moveTo = (index: number) => {
    const anchor = event.shiftKey && pointed !== undefined ? pointed.anchor : index;
    setPointed({ anchor, cursor: index });
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => moveTo(nextActive(activity, cursor, -1)),
    ArrowRight: () => moveTo(nextActive(activity, cursor, 1)),
    Home: () => moveTo(nextActive(activity, -1, 1)),
    End: () => moveTo(nextActive(activity, length, -1)),
    Enter: () => range !== undefined && filterBy(activity, range),
    Escape: () => {
      setPointed(undefined);
      go(unfiltered(), 'replace');
    },
    '+': () => go(zoomedIn(activity, range)),
    '-': () => go(zoomedOut(activity)),
  };
  const run = keys[event.key];
  if (run === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  run();
}

const unfiltered = () => hrefWith({ since: undefined, until: undefined });

const wholeLife = () => hrefWith({ from: undefined, to: undefined });

/** To the range, or to the later quarter of what is drawn. */
function zoomedIn(activity: Activity, range: SpanRange | undefined): string {
  const { length } = activity.items;
  const { first, last } = range ?? { first: Math.floor((length * 3) / 4), last: length - 1 };
  return hrefWith({ from: startOf(activity, first), to: startOf(activity, last + 1) });
}

/** Four times as long, around the same middle; since its creation where that reaches beyond now. */
function zoomedOut(activity: Activity): string {
  const [from, to] = [Date.parse(startOf(activity, 0)), Date.parse(activity.to)];
  const more = (to - from) * 1.5;
  if (parameter('from') === '' || to + more >= Date.now()) return wholeLife();
  const time = (ms: number) => new Date(Math.max(0, ms)).toISOString();
  return hrefWith({ from: time(from - more), to: time(to + more) });
}

function Controls({
  activity,
  range,
  isFiltered,
}: {
  readonly activity: Activity;
  readonly range: SpanRange | undefined;
  readonly isFiltered: boolean;
}) {
  const isZoomed = parameter('from') !== '';
  return (
    <p class="controls">
      <a href={zoomedIn(activity, range)}>Zoom in</a>
      {isZoomed && <a href={zoomedOut(activity)}>Zoom out</a>}
      {isZoomed && <a href={wholeLife()}>Since its creation</a>}
      {isFiltered && <a href={unfiltered()}>Changes of all times</a>}
    </p>
  );
}

/** Serials with a name, each of which leads to what changed since. */
function Tags({ zone }: { readonly zone: Zone }) {
  const loaded = useLoaded(
    (signal) => get<Listed<Tag>>(zonePath(zone.name, '/tags'), { limit: tagsAtOnce }, signal),
    [zone.name, zone.serial],
  );
  const tags = loaded.value?.items ?? [];
  if (tags.length === 0) return null;
  return (
    <ul class="controls" aria-label="Tags">
      {tags.map(({ name, serial }) => (
        <li key={name}>
          <a
            href={hrefOf(['zones', zone.name, 'compare'], { from: String(serial), at: undefined })}
          >
            <span aria-hidden="true">⚑ </span>
            {visible(name)}
          </a>{' '}
          <span class="muted">serial {serial}</span>
        </li>
      ))}
    </ul>
  );
}

/**
 * How much changed in a zone over time, as bars: added above the line, removed below it. A range of it, by the pointer
 * or by keys, filters the changes below. All of it is in a table too.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Activity, get, type Zone, zonePath } from '../api.ts';
import { deletedId } from '../deleted.ts';
import { useLoaded } from '../loading.ts';
import { absolute, at } from '../moment.ts';
import { go, hrefWith, parameter } from '../router.ts';
import {
  endOf,
  nextActive,
  passedBy,
  rangeOf,
  type SpanRange,
  spanCount,
  spanText,
  startOf,
} from '../spans.ts';
import { type TimeRange, zoomed } from '../zoom.ts';
import { ActivityBars } from './activity-bars.tsx';
import { ActivityLegend } from './activity-legend.tsx';
import { MarkLine, MarkLists, type Marks, useMarks } from './activity-marks.tsx';
import { ActivityTable } from './activity-table.tsx';
import { useScrubbed } from '../scrubbed.ts';
import { Scrubber } from './scrubber.tsx';
import { ScrubbedRecords } from './scrubbed-records.tsx';
import { Answered } from './states.tsx';

interface StripProps {
  readonly zone: Zone;
  /** From when on its versions are there; undefined for all of them. */
  readonly retainedFrom: string | undefined;
  /** Of the moment that the page looks at, once it is known. */
  readonly serial: number | undefined;
}

export function ActivityStrip({ zone, retainedFrom, serial }: StripProps) {
  const [from, to] = [parameter('from'), parameter('to')];
  const query = { from, to, buckets: spanCount(innerWidth), deleted_id: deletedId.value };
  const loaded = useLoaded(
    (signal) => get<Activity>(zonePath(zone.name, '/activity'), query, signal),
    [zone.name, zone.serial, from, to],
  );
  const marks = { ...useMarks(zone), retainedFrom };
  return (
    <section class="activity" aria-label="Activity">
      <Answered loaded={loaded}>
        {(activity) => <Strip zone={zone} activity={activity} marks={marks} serial={serial} />}
      </Answered>
      {retainedFrom !== undefined && (
        <p class="muted">
          Hatched: versions before {absolute(retainedFrom)} were deleted by retention.
        </p>
      )}
      <MarkLists zone={zone} marks={marks} />
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

interface DrawnProps extends Omit<StripProps, 'retainedFrom'> {
  readonly activity: Activity;
  readonly marks: Marks;
}

function Strip({ zone, activity, marks, serial }: DrawnProps) {
  const [pointed, setPointed] = useState<Pointed>();
  const [source, setSource] = useState<string>();
  const [moved, setMoved] = useState<number>();
  const scrubbed = useScrubbed(zone, activity, moved, marks.retainedFrom);
  const isDragging = useRef(false);
  const strip = useWheel(activity);
  const [from, to] = [parameter('from'), parameter('to')];
  useEffect(() => setPointed(undefined), [from, to]);
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
      <MarkLine activity={activity} marks={marks} />
      <div
        class="strip"
        ref={strip}
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
        <ActivityBars
          activity={activity}
          range={range}
          source={source}
          passed={moved ?? passedBy(activity, at.value)}
          retainedFrom={marks.retainedFrom}
        />
      </div>
      <Scrubber activity={activity} serial={serial} total={scrubbed.total} onMove={setMoved} />
      <p class="ends" aria-hidden="true">
        <span>{absolute(startOf(activity, 0))}</span>
        <span>{absolute(activity.to)}</span>
      </p>
      <p>{text}</p>
      <ActivityLegend activity={activity} source={source} choose={setSource} />
      <Controls activity={activity} range={range} isFiltered={chosen !== undefined} />
      <p id="strip-keys" class="unseen">
        Arrow keys go from change to change, with Shift they take a range. Enter shows its changes
        alone, Escape all, plus and minus zoom.
      </p>
      <ActivityTable activity={activity} choose={choose} />
      <ScrubbedRecords zone={zone} scrubbed={scrubbed} />
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

/** What is drawn, or is about to be. */
function drawn(activity: Activity): TimeRange {
  return {
    from: Date.parse(parameter('from') || startOf(activity, 0)),
    to: Date.parse(parameter('to') || activity.to),
  };
}

function hrefOfRange(range: TimeRange | undefined): string {
  if (range === undefined) return wholeLife();
  const time = (ms: number) => new Date(Math.round(ms)).toISOString();
  return hrefWith({ from: time(range.from), to: time(range.to) });
}

/** Where the zone begins is known as long as all of its life is drawn. */
function lifeOf(activity: Activity) {
  const isWhole = parameter('from') === '' && parameter('to') === '';
  return { start: isWhole ? Date.parse(startOf(activity, 0)) : undefined, now: Date.now() };
}

/** Four times as long, around the same middle; since its creation where that reaches beyond now. */
function zoomedOut(activity: Activity): string {
  const range = drawn(activity);
  return hrefOfRange(zoomed(range, 4, (range.from + range.to) / 2, lifeOf(activity)));
}

/** Milliseconds after the last turn of the wheel. */
const wheelRestMs = 120;
/** Pixels of a wheel that double or halve what is drawn. */
const wheelPixels = 200;

/** Zooms by the wheel, around the pointer. Where nothing is left to zoom out of, the page scrolls. */
function useWheel(activity: Activity) {
  const strip = useRef<HTMLDivElement>(null);
  const latest = useRef(activity);
  latest.current = activity;
  useEffect(() => {
    let turned = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const turn = (event: WheelEvent) => {
      const { left, width } = strip.current!.getBoundingClientRect();
      const isWhole = parameter('from') === '' && parameter('to') === '';
      if (event.deltaY === 0 || (isWhole && turned + event.deltaY > 0)) return;
      event.preventDefault();
      turned += event.deltaY;
      const share = (event.clientX - left) / width;
      clearTimeout(timer);
      timer = setTimeout(() => {
        const range = drawn(latest.current);
        const center = range.from + (range.to - range.from) * share;
        const factor = 2 ** (turned / wheelPixels);
        turned = 0;
        const life = lifeOf(latest.current);
        go(hrefOfRange(zoomed(range, factor, center, life)), 'replace');
      }, wheelRestMs);
    };
    strip.current?.addEventListener('wheel', turn, { passive: false });
    return () => {
      strip.current?.removeEventListener('wheel', turn);
      clearTimeout(timer);
    };
  }, []);
  return strip;
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

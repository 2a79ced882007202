/** The bars of an activity strip, as a drawing. What it says stands in the text and the table beside it. */
import type { Activity, ActivitySpan } from '../api.ts';
import { heightOf, shareBefore, sharesOf, type SpanRange } from '../spans.ts';

/** Units of the drawing: a bar with the gap behind it, the line between added and removed, the height of each side. */
const step = 4;
const line = 34;
const side = 32;
const height = 72;

interface BarsProps {
  readonly activity: Activity;
  readonly range: SpanRange | undefined;
  /** The one source that is not faint; all when left out. */
  readonly source: string | undefined;
  /** Spans up to the moment of the page. */
  readonly passed: number;
  /** What lies before has no versions any more. */
  readonly retainedFrom: string | undefined;
}

export function ActivityBars({ activity, range, source, passed, retainedFrom }: BarsProps) {
  const { items } = activity;
  const highest = items.reduce((max, { added, removed }) => Math.max(max, added, removed), 1);
  const length = items.length * step;
  const gone = retainedFrom === undefined ? 0 : shareBefore(activity, retainedFrom);
  return (
    <svg viewBox={`0 0 ${length} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {range !== undefined && (
        <rect
          class="range"
          x={range.first * step}
          width={(range.last - range.first + 1) * step}
          height={height}
        />
      )}
      {gone > 0 && <Gone width={gone * length} />}
      <rect class="line" y={line} width={length} height={1} />
      {items.map((span, index) => (
        <Bar key={`${span.at} ${index}`} span={span} x={index * step} scale={{ highest, source }} />
      ))}
      {passed < items.length && (
        <>
          <rect class="later" x={passed * step} width={length - passed * step} height={height} />
          <rect class="moment-line" x={passed * step - 0.5} width={1} height={height} />
        </>
      )}
    </svg>
  );
}

function Gone({ width }: { readonly width: number }) {
  return (
    <>
      <pattern
        id="gone"
        width={6}
        height={6}
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect class="gone-line" width={1} height={6} />
      </pattern>
      <rect class="gone" fill="url(#gone)" width={width} height={height} />
    </>
  );
}

interface BarProps {
  readonly span: ActivitySpan;
  readonly x: number;
  readonly scale: { readonly highest: number; readonly source: string | undefined };
}

function Bar({ span, x, scale: { highest, source: only } }: BarProps) {
  const { added, removed, changes, signing } = span;
  const up = heightOf(added, highest) * side;
  const down = heightOf(removed, highest) * side;
  const isNarrow = changes > 0 && added + removed === 0;
  const parts = sharesOf(span).flatMap(({ source, before, share }) => {
    const name = `source ${source}${only === undefined || only === source ? '' : ' faint'}`;
    const piece = (y: number, whole: number) => (
      <rect key={`${source} ${y}`} class={name} x={x} y={y} width={step - 1} height={whole} />
    );
    return [
      up > 0 && piece(line - up * (before + share), up * share),
      down > 0 && piece(line + 1 + down * before, down * share),
      isNarrow && piece(line - 3 + 6 * before, 6 * share),
    ];
  });
  return (
    <g>
      {parts}
      {signing > 0 && <rect class="signing" x={x} y={68} width={step - 1} height={3} />}
    </g>
  );
}

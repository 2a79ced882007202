/** The bars of an activity strip, as a drawing. What it says stands in the text and the table beside it. */
import type { Activity } from '../api.ts';
import { heightOf, type SpanRange } from '../spans.ts';

/** Units of the drawing: a bar with the gap behind it, the line between added and removed, the height of each side. */
const step = 4;
const line = 34;
const side = 32;

export function ActivityBars({
  activity: { items },
  range,
}: {
  readonly activity: Activity;
  readonly range: SpanRange | undefined;
}) {
  const highest = items.reduce((max, { added, removed }) => Math.max(max, added, removed), 1);
  return (
    <svg viewBox={`0 0 ${items.length * step} 72`} preserveAspectRatio="none" aria-hidden="true">
      {range !== undefined && (
        <rect
          class="range"
          x={range.first * step}
          width={(range.last - range.first + 1) * step}
          height={72}
        />
      )}
      <rect class="line" y={line} width={items.length * step} height={1} />
      {items.map(({ at, added, removed, changes, signing }, index) => {
        const up = heightOf(added, highest) * side;
        const down = heightOf(removed, highest) * side;
        const x = index * step;
        return (
          <g key={`${at} ${x}`}>
            {up > 0 && <rect class="added" x={x} y={line - up} width={step - 1} height={up} />}
            {down > 0 && <rect class="removed" x={x} y={line + 1} width={step - 1} height={down} />}
            {changes > 0 && added + removed === 0 && (
              <rect class="settings" x={x} y={line - 3} width={step - 1} height={6} />
            )}
            {signing > 0 && <rect class="signing" x={x} y={68} width={step - 1} height={3} />}
          </g>
        );
      })}
    </svg>
  );
}

/** Which colour is which source; pressed, a source stands out and the others are faint. */
import type { Activity } from '../api.ts';
import { counted } from '../counted.ts';
import { totalsOf } from '../spans.ts';
import { visible } from './text.tsx';

interface LegendProps {
  readonly activity: Activity;
  readonly source: string | undefined;
  readonly choose: (source: string | undefined) => void;
}

export function ActivityLegend({ activity, source, choose }: LegendProps) {
  const totals = totalsOf(activity);
  if (totals.length === 0) return null;
  return (
    <div class="legend">
      <ul aria-label="Sources">
        {totals.map(([each, count]) => (
          <li key={each}>
            <button
              type="button"
              class="quiet"
              aria-pressed={each === source}
              onClick={() => choose(each === source ? undefined : each)}
            >
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <rect class={`source ${each}`} width={10} height={10} />
              </svg>
              {visible(each)}: {counted(count, 'change')}
            </button>
          </li>
        ))}
      </ul>
      <span class="muted">Above the line added, below removed; grey dots: signing.</span>
    </div>
  );
}

/** The keys of a zone as bars over time. The table and the list beside it say the same in words. */
import type { DnssecStatus } from '../api.ts';
import { drawnKeys } from '../key-spans.ts';
import { absolute } from '../moment.ts';

/** Units of the drawing. */
const width = 1000;
const height = 16;

export function KeyDrawing({ status }: { readonly status: DnssecStatus }) {
  const nowMs = Date.now();
  const { from, to, keys, marks } = drawnKeys(status.keys, status.next_steps, nowMs);
  const at = (ms: number) => ((ms - from) / (to - from)) * width;
  const line = (ms: number, kind: string) => (
    <rect key={`${kind} ${ms}`} class={kind} x={at(ms) - 1} width={2} height={height} />
  );
  if (keys.length === 0) return null;
  return (
    <div class="key-lives" aria-hidden="true">
      {keys.map(({ tag, role, spans }) => (
        <div key={tag}>
          <span>
            {tag} {role.toUpperCase()}
          </span>
          <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
            {spans.map((span) => (
              <rect
                key={span.from}
                class={span.state}
                x={at(span.from)}
                width={Math.max(2, at(span.to) - at(span.from))}
                y={span.state === 'active' ? 2 : 5}
                height={span.state === 'active' ? height - 4 : height - 10}
              />
            ))}
            {marks.map((ms) => line(ms, 'mark'))}
            {line(nowMs, 'now')}
          </svg>
        </div>
      ))}
      <p class="ends">
        <span>{absolute(new Date(from).toISOString())}</span>
        <span class="states">
          <i class="published" /> published <i class="active" /> active <i class="retired" />{' '}
          retired <i class="now" /> now
        </span>
        <span>{absolute(new Date(to).toISOString())}</span>
      </p>
    </div>
  );
}

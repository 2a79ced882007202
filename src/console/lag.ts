/** How far behind a secondary was in the last 24 hours: what is drawn, listed and said of it. */
import type { SecondaryStates } from './api.ts';
import { delayText, durationText } from './duration.ts';

export type Lag = NonNullable<SecondaryStates['items'][number]['lag']>;

/** Units of the drawing: a span is one wide. */
export const lagHeight = 20;

/** Spans in a row that say the same, in milliseconds since 1970. */
export interface LagRun {
  readonly from: number;
  readonly until: number;
  /** Null where nothing is known. */
  readonly behindMs: number | null;
}

/** Newest first; only since it has been counted, and until now. */
export function runsOf({ first_at: first, span_seconds: seconds, ...lag }: Lag, now: number) {
  const since = Date.parse(lag.counted_since);
  const runs: LagRun[] = [];
  for (const [index, behindMs] of lag.behind_ms.entries()) {
    const start = Date.parse(first) + index * seconds * 1000;
    const until = Math.min(now, start + seconds * 1000);
    const last = runs[0];
    if (until <= since) continue;
    if (last?.behindMs === behindMs) runs[0] = { ...last, until };
    else runs.unshift({ from: Math.max(since, start), until, behindMs });
  }
  return runs;
}

/** The essential in a few words; `timeOf` writes a time of day. */
export function lagText(lag: Lag, now: number, timeOf: (ms: number) => string): string {
  const runs = runsOf(lag, now);
  const lengthOf = (isIt: (behindMs: number | null) => boolean) => {
    const ms = runs.reduce((sum, { from, until, behindMs }) => {
      return isIt(behindMs) ? sum + until - from : sum;
    }, 0);
    return ms === 0 ? '' : durationText(ms / 1000);
  };
  const worst = runs.reduce((found, run) => {
    return (run.behindMs ?? 0) > (found?.behindMs ?? 0) ? run : found;
  }, runs[0]);
  const unknown = lengthOf((behindMs) => behindMs === null);
  const inSync = lengthOf((behindMs) => behindMs === 0);
  const isWhole = lag.behind_ms.every((behindMs) => behindMs === 0);
  const parts = [
    worst?.behindMs
      ? `behind for up to ${delayText(worst.behindMs)} at ${timeOf(worst.from).slice(0, 5)}`
      : inSync && `in sync for ${isWhole ? '24 h' : inSync}`,
    unknown && `no answer for ${unknown}`,
  ];
  return parts.filter(Boolean).join('; ');
}

/** The outline of the drawing: a thin line while in sync, a gap where nothing is known. */
export function lagOutline({ behind_ms: values }: Lag): string {
  const greatest = Math.max(1, ...values.map((behindMs) => behindMs ?? 0));
  const bars = values.map((behindMs, index) => {
    if (behindMs === null) return '';
    const top = (lagHeight - 1 - (behindMs / greatest) * (lagHeight - 1)).toFixed(1);
    return `M${index} ${lagHeight}V${top}h1V${lagHeight}z`;
  });
  return bars.join('');
}

/** What becomes of the keys of a zone, and when: the spans of their drawing. */
import type { DnssecStatus } from './api.ts';

export type KeyState = DnssecStatus['keys'][number]['state'];

export interface StateSpan {
  readonly state: KeyState;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

export interface KeySpans {
  readonly tag: number;
  readonly role: string;
  readonly spans: readonly StateSpan[];
}

export interface KeysDrawn {
  readonly from: number;
  readonly to: number;
  readonly keys: readonly KeySpans[];
  /** When something happens. */
  readonly marks: readonly number[];
}

type Key = DnssecStatus['keys'][number];
type Planned = DnssecStatus['next_steps'][number];

/** Milliseconds that are drawn at least, before and after now. */
const minMs = 3_600_000;

/** What is late happens now at the earliest. */
export function drawnKeys(
  keys: readonly Key[],
  planned: readonly Planned[],
  nowMs: number,
): KeysDrawn {
  const timeOf = ({ at }: Planned) => Math.max(nowMs, Date.parse(at));
  const ahead = Math.max(minMs, ...planned.map((one) => timeOf(one) - nowMs));
  const to = nowMs + ahead * 1.15;
  const since = Math.min(nowMs - minMs, ...keys.map((key) => Date.parse(key.state_changed_at)));
  // What was long ago would leave no room for what comes.
  const from = Math.max(since, nowMs - 2 * ahead);
  const drawn = keys.map((key) => ({
    tag: key.key_tag,
    role: key.role,
    spans: spansOf(key, keys, planned, timeOf, to).flatMap((span) => within(span, from)),
  }));
  return { from, to, keys: drawn, marks: planned.map(timeOf) };
}

function spansOf(
  key: Key,
  keys: readonly Key[],
  planned: readonly Planned[],
  timeOf: (one: Planned) => number,
  end: number,
): StateSpan[] {
  const spans: StateSpan[] = [];
  let state: KeyState | 'removed' = key.state;
  let since = Date.parse(key.state_changed_at);
  for (const one of planned.toSorted((a, b) => timeOf(a) - timeOf(b))) {
    const next: KeyState | 'removed' | undefined =
      state === 'removed' ? undefined : followerOf(state, one, key, keys);
    if (state === 'removed' || next === undefined) continue;
    spans.push({ state, from: since, to: timeOf(one) });
    since = timeOf(one);
    state = next;
  }
  if (state !== 'removed') spans.push({ state, from: since, to: end });
  return spans;
}

/** The state that an action leaves a key in; undefined when it leaves it as it is. */
function followerOf(
  state: KeyState,
  { action, key_tags: tags }: Planned,
  key: Key,
  keys: readonly Key[],
): KeyState | 'removed' | undefined {
  const isNamed = tags.includes(key.key_tag);
  if (action === 'remove') return isNamed && state === 'retired' ? 'removed' : undefined;
  if (action !== 'promote') return undefined;
  if (isNamed) return state === 'published' ? 'active' : undefined;
  const roles = keys.filter((each) => tags.includes(each.key_tag)).map(({ role }) => role);
  return state === 'active' && roles.includes(key.role) ? 'retired' : undefined;
}

function within(span: StateSpan, from: number): StateSpan[] {
  return span.to <= from ? [] : [{ ...span, from: Math.max(span.from, from) }];
}

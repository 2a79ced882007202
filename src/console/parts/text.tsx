/** Text as it is shown: numbers, times, and values that anybody may have written. */
import type { Part } from '../changed-part.ts';
import { counted } from '../counted.ts';
import { absolute, isUtc, relative, showTimesIn } from '../moment.ts';
import { unicodeText } from '../punycode.ts';
import { unfit } from '../unfit.ts';

interface AgoProps {
  readonly time: string;
  /** It stands in a link, whose focus counts for it. */
  readonly isLinked?: boolean;
}

/** How long ago; the time itself on focus, when it is pressed, and under the pointer. */
export function Ago({ time, isLinked = false }: AgoProps) {
  const text = (
    <time dateTime={time} title={absolute(time)}>
      {relative(time)}
    </time>
  );
  if (isLinked) return text;
  return (
    // Not every browser gives the focus to a button that is pressed.
    <button type="button" class="ago" onClick={({ currentTarget }) => currentTarget.focus()}>
      {text}
    </button>
  );
}

/** Hostile text: what would not be seen is written as its code point. */
export function visible(text: string): string {
  return text.replaceAll(unfit, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${code}⟩`;
  });
}

/** Internationalised names as people read them; the direction of their letters ends with them. */
export function Unicode({ text }: { readonly text: string }) {
  const found = unicodeText(text);
  return found === undefined ? null : <bdi class="muted"> {visible(found)}</bdi>;
}

/** A value of a record: as in a master file, the segments of a TXT in quotes. */
export function valueText(value: string | readonly string[], priority: number | null): string {
  const text = typeof value === 'string' ? value : value.map((each) => `"${each}"`).join(' ');
  return priority === null ? text : `${priority} ${text}`;
}

/** Characters of a long value that are shown before its changed part. */
const shownBefore = 40;

interface ValueProps {
  readonly text: string;
  /** What is marked as changed. */
  readonly changed?: Part | undefined;
}

/** Long ones are cut, and whole on demand. */
export function Value({ text, changed }: ValueProps) {
  const whole = <code class="value">{withMark(text, changed)}</code>;
  if (visible(text).length <= 120) return whole;
  const from = Math.max(0, (changed?.[0] ?? 0) - shownBefore);
  const cut = text.slice(from, from + 100);
  const inCut = changed && ([changed[0] - from, changed[1] - from] as const);
  return (
    <details class="long">
      <summary>
        <code class="value">
          {from > 0 && '…'}
          {withMark(cut, inCut)}…{' '}
        </code>
        <span class="muted">{counted(text.length, 'character')}</span>
      </summary>
      {whole}
    </details>
  );
}

function withMark(text: string, part: Part | undefined) {
  if (part === undefined || part[0] === part[1]) return visible(text);
  const [start, end] = part;
  return (
    <>
      {visible(text.slice(0, start))}
      <mark>{visible(text.slice(start, end))}</mark>
      {visible(text.slice(end))}
    </>
  );
}

export function TimesSwitch() {
  return (
    <button
      type="button"
      class="quiet"
      aria-pressed={isUtc.value}
      onClick={() => showTimesIn(isUtc.value ? 'local' : 'utc')}
    >
      {isUtc.value ? 'Times: UTC' : 'Times: local'}
    </button>
  );
}

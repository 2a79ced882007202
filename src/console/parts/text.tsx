/** Text as it is shown: numbers, times, and values that anybody may have written. */
import { counted } from '../counted.ts';
import { absolute, isUtc, relative, showTimesIn } from '../moment.ts';
import { unfit } from '../unfit.ts';

/** The owner within its zone, as people write it. */
export function relativeName(name: string, zone: string): string {
  const apex = `${zone}.`;
  if (name === apex) return '@';
  return name.endsWith(`.${apex}`) ? name.slice(0, -apex.length - 1) : name;
}

/** How long ago; the time itself on focus and under the pointer. */
export function Ago({ time }: { readonly time: string }) {
  return (
    <time dateTime={time} title={absolute(time)}>
      {relative(time)}
    </time>
  );
}

/** Hostile text: what would not be seen is written as its code point. */
export function visible(text: string): string {
  return text.replaceAll(unfit, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${code}⟩`;
  });
}

/** A value of a record: as in a master file, the segments of a TXT in quotes. */
export function valueText(value: string | readonly string[], priority: number | null): string {
  const text = typeof value === 'string' ? value : value.map((each) => `"${each}"`).join(' ');
  return priority === null ? text : `${priority} ${text}`;
}

/** Long ones are cut, and whole on demand. */
export function Value({ text }: { readonly text: string }) {
  const shown = visible(text);
  if (shown.length <= 120) return <code class="value">{shown}</code>;
  return (
    <details class="long">
      <summary>
        <code class="value">{shown.slice(0, 100)}… </code>
        <span class="muted">{counted(text.length, 'character')}</span>
      </summary>
      <code class="value">{shown}</code>
    </details>
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

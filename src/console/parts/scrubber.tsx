/** The handle that sets the moment of the page, by dragging or by keys. Its last step is now. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Activity } from '../api.ts';
import { counted } from '../counted.ts';
import { absolute, at, isEarlier } from '../moment.ts';
import { go, hrefWith } from '../router.ts';
import { timeAfter } from '../scrubbed.ts';
import { nextActive, passedBy, spanText } from '../spans.ts';

/** The page follows once the handle has rested so long, in milliseconds. */
const restMs = 120;

interface ScrubberProps {
  readonly activity: Activity;
  /** Of the moment that the page looks at, once it is known. */
  readonly serial: number | undefined;
  /** Records where the handle is, where that is known. */
  readonly total: number | undefined;
  /** Spans up to where the handle is, at once. */
  readonly onMove: (passed: number | undefined) => void;
}

export function Scrubber({ activity, serial, total, onMove }: ScrubberProps) {
  const { length } = activity.items;
  const [dragged, setDragged] = useState<number>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const passed = dragged ?? passedBy(activity, at.value);
  const take = (count: number) => {
    setDragged(count);
    onMove(count);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      go(hrefWith({ at: timeAfter(activity, count), offset: undefined }), 'replace');
      setDragged(undefined);
      onMove(undefined);
    }, restMs);
  };
  const byChange = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 } as const;
    const direction = by[event.key as keyof typeof by];
    if (direction === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const found = nextActive(activity, passed - 1, direction) + 1;
    take(direction > 0 && found === passed ? length : found);
  };
  const time = dragged === undefined ? at.value : timeAfter(activity, passed);
  const last = { first: passed - 1, last: passed - 1 };
  const text = time === '' ? 'Now' : absolute(time);
  const facts = [
    dragged === undefined && serial !== undefined && `serial ${serial}`,
    total !== undefined && counted(total, 'record'),
  ].filter((fact) => fact !== false);
  const said = time === '' ? text : [text, ...facts].join(', ');
  return (
    <div class="scrubber">
      <input
        type="range"
        min={1}
        max={length}
        value={passed}
        aria-label="Moment"
        aria-valuetext={said}
        onInput={(event) => take(Number(event.currentTarget.value))}
        onKeyDown={byChange}
      />
      <p>
        <strong>{said}</strong>
        {time !== '' && <span class="muted">. Its span: {spanText(activity, last)}</span>}{' '}
        {isEarlier.value && <a href={hrefWith({ at: undefined })}>Back to now</a>}
      </p>
    </div>
  );
}

/** Presses whose button the page moves away: what comes late moves what stands below it. */

/** What does something when it is clicked. */
const pressable = 'button, a, summary, label, input';

/** CSS pixels that a hand may move between pressing and letting go. */
const slackPx = 8;

interface Press {
  readonly on: HTMLElement;
  readonly x: number;
  readonly y: number;
}

/** With the keys that are held: Shift ticks a range, Ctrl opens a page of its own. */
function clickLike({ shiftKey, ctrlKey, altKey, metaKey }: PointerEvent): MouseEvent {
  const keys = { shiftKey, ctrlKey, altKey, metaKey };
  return new MouseEvent('click', { ...keys, bubbles: true, cancelable: true, composed: true });
}

/**
 * Has a press that begins on a button end on it, though the page has moved below the pointer since: browsers make no
 * click of such a one. Whoever draws the pointer away gives the press up, as ever (WCAG 2.2, 2.5.2).
 */
export function startPresses(): void {
  let press: Press | undefined;
  const begin = ({ target, button, isPrimary, clientX: x, clientY: y }: PointerEvent) => {
    const on = (target as Element).closest<HTMLElement>(pressable);
    press = on !== null && button === 0 && isPrimary ? { on, x, y } : undefined;
  };
  const end = (event: PointerEvent) => {
    const ended = press;
    press = undefined;
    if (ended === undefined) return;
    const { on, x, y } = ended;
    const isClick = [on, on.closest('label')].some((each) => each?.contains(event.target as Node));
    if (isClick || Math.hypot(event.clientX - x, event.clientY - y) > slackPx) return;
    on.dispatchEvent(clickLike(event));
  };
  const giveUp = () => {
    press = undefined;
  };
  document.addEventListener('pointerdown', begin, { capture: true });
  document.addEventListener('pointerup', end, { capture: true });
  document.addEventListener('pointercancel', giveUp, { capture: true });
}

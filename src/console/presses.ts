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
    const isModified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (ended === undefined || isModified || ended.on.contains(event.target as Element)) return;
    const movedPx = Math.hypot(event.clientX - ended.x, event.clientY - ended.y);
    if (movedPx <= slackPx) ended.on.click();
  };
  const giveUp = () => {
    press = undefined;
  };
  document.addEventListener('pointerdown', begin, { capture: true });
  document.addEventListener('pointerup', end, { capture: true });
  document.addEventListener('pointercancel', giveUp, { capture: true });
}

/**
 * Edits of a zone that wait to be made together: kept over a reload of the page, until whoever made them logs out.
 * The browser asks before it leaves a page that has any.
 */
import { effect, signal } from '@preact/signals';
import type { FieldError, Problem } from './api.ts';
import { type Item, withEdits, withErrors, writeOf } from './collected.ts';
import { pending, type Write } from './write.ts';

const storedKey = 'zonebook-basket';

type Baskets = Readonly<Record<string, readonly Item[]>>;

const baskets = signal<Baskets>(JSON.parse(sessionStorage.getItem(storedKey) ?? '{}'));
/** Counts what was put in: a form whose edit is there closes. */
export const collectedCount = signal(0);

export function basketOf(zone: string): readonly Item[] {
  return baskets.value[zone] ?? [];
}

export function fill(zone: string, items: readonly Item[]): void {
  const { [zone]: _, ...others } = baskets.value;
  baskets.value = items.length === 0 ? others : { ...others, [zone]: items };
}

export function collect({ zone, list }: NonNullable<Write['edits']>): void {
  fill(zone, withEdits(basketOf(zone), list));
  collectedCount.value++;
}

export function forgetBaskets(): void {
  baskets.value = {};
}

/** Previews all that is in the basket. What is refused stands by its item. */
export function previewBasket(zone: string): void {
  const items = basketOf(zone);
  pending.value = {
    ...writeOf(zone, items),
    onDone: () => fill(zone, []),
    onRefused: ({ answer }: Problem) => {
      const errors = (answer.errors ?? []) as readonly FieldError[];
      const found = withErrors(items, errors);
      if (found === undefined) return false;
      fill(zone, found);
      return true;
    },
  };
}

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

export function startBasket(): void {
  effect(() => {
    const isEmpty = Object.keys(baskets.value).length === 0;
    if (isEmpty) {
      sessionStorage.removeItem(storedKey);
      removeEventListener('beforeunload', ask);
      return;
    }
    addEventListener('beforeunload', ask);
    try {
      sessionStorage.setItem(storedKey, JSON.stringify(baskets.value));
    } catch {
      // The browser has no room for it: it is lost with the page then.
    }
  });
}

/** The way back to a service that was not reached: it is asked again, first after 1 s and later every 30 s. */
import { computed, effect, signal } from '@preact/signals';
import { get, unreachableSince } from './api.ts';

const firstDelayMs = 1000;
const longestDelayMs = 30_000;

export const isReachable = computed(() => unreachableSince.value === null);

/** Counts how often the service came back, so that what is on the page is asked for again. */
export const returnCount = signal(0);

export function startReconnecting(): void {
  let delayMs = firstDelayMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const probe = () => {
    delayMs = Math.min(longestDelayMs, delayMs * 2);
    // Any answer is one, also a refusal.
    void get('/health')
      .catch(() => {})
      .then(() => {
        if (!isReachable.value) timer = setTimeout(probe, delayMs);
      });
  };
  let wasReachable = true;
  effect(() => {
    if (isReachable.value === wasReachable) return;
    wasReachable = isReachable.value;
    clearTimeout(timer);
    if (!wasReachable) {
      delayMs = firstDelayMs;
      timer = setTimeout(probe, delayMs);
    } else returnCount.value = returnCount.peek() + 1;
  });
}

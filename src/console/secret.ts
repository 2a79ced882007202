/** A secret that the service has just answered with: until somebody has kept it, leaving it asks. */
import { effect, signal } from '@preact/signals';
import type { TsigKeyAnswer } from './api.ts';

export interface Secret {
  /** Of a token, or of a TSIG key with its configuration. */
  readonly of: { readonly token: string } | { readonly key: TsigKeyAnswer };
  readonly text: string;
  /** Whether it can not be read again: only then leaving it asks. */
  readonly isOnce: boolean;
  /** Gets the focus back. */
  readonly opener: HTMLElement | null;
}

/** The secret that the page presents. It is nowhere else in the page, and in no storage of the browser. */
export const secret = signal<Secret | undefined>(undefined);
/** Whether it was copied, downloaded or said to be kept. */
export const isKept = signal(false);

export function show(given: Secret): void {
  isKept.value = !given.isOnce;
  secret.value = given;
}

export function putAway(): void {
  const opener = secret.value?.opener;
  secret.value = undefined;
  opener?.focus();
}

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

export function startSecret(): void {
  effect(() => {
    if (secret.value !== undefined && !isKept.value) addEventListener('beforeunload', ask);
    else removeEventListener('beforeunload', ask);
  });
}

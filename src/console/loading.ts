/** What a screen has asked the service for, from the first wait to the answer or the refusal. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { askedBy, needsLogin, Problem } from './api.ts';
import { returnCount } from './reconnect.ts';
import { writeCount } from './write.ts';

export interface Loaded<Value> {
  /** The last answer; it stays while the next one is awaited, and when that could not be had. */
  readonly value: Value | undefined;
  readonly error: Error | undefined;
  readonly isWaiting: boolean;
  readonly again: () => void;
  /** Waits no longer. */
  readonly cancel: () => void;
  /** The request that was made last, like `GET /zones`; '' where it is not known. */
  readonly asked: () => string;
}

interface Known<Value> {
  readonly value: Value;
  readonly keys: readonly unknown[];
}

/** Whether it says nothing of what was asked for: what is known of that is as good as before. */
function isPassing(error: Error): boolean {
  if (!(error instanceof Problem)) return false;
  const { status } = error;
  return status === 0 || status === 401 || status === 429 || status >= 500;
}

/**
 * Asks again whenever a key changes, after a login, after a write and when the service has come back; an answer that
 * comes too late is dropped.
 */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
): Loaded<Value> {
  const [known, setKnown] = useState<Known<Value>>();
  const [error, setError] = useState<Error>();
  const [isWaiting, setWaiting] = useState(true);
  const [round, setRound] = useState(0);
  const current = useRef<AbortController>(undefined);
  useEffect(() => {
    const aborting = new AbortController();
    const { signal } = aborting;
    current.current = aborting;
    setWaiting(true);
    const fail = (failure: Error) => {
      const isSame = (known?: Known<Value>) => known?.keys.every((key, i) => key === keys[i]);
      setKnown((last) => (isPassing(failure) && isSame(last) ? last : undefined));
      setError(failure);
    };
    load(signal)
      .then(
        (value) => {
          if (signal.aborted) return;
          setKnown({ value, keys });
          setError(undefined);
        },
        (failure: Error) => {
          if (!signal.aborted) fail(failure);
        },
      )
      .finally(() => {
        if (!signal.aborted) setWaiting(false);
      });
    return () => aborting.abort();
  }, [...keys, round, needsLogin.value, writeCount.value, returnCount.value]);
  const cancel = () => {
    current.current?.abort();
    setError(new Error('You waited no longer.'));
    setWaiting(false);
  };
  const asked = () => askedBy.get(current.current?.signal as AbortSignal) ?? '';
  const again = () => setRound((count) => count + 1);
  return { value: known?.value, error, isWaiting, again, cancel, asked };
}

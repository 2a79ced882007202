/** What a screen has asked the service for, from the first wait to the answer or the refusal. */
import { useEffect, useState } from 'preact/hooks';
import { needsLogin } from './api.ts';
import { writeCount } from './write.ts';

export interface Loaded<Value> {
  /** The last answer; it stays while the next one is awaited. */
  readonly value: Value | undefined;
  readonly error: Error | undefined;
  readonly isWaiting: boolean;
  readonly again: () => void;
}

/** Asks again whenever a key changes, after a login and after a write; an answer that comes too late is dropped. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
): Loaded<Value> {
  const [value, setValue] = useState<Value>();
  const [error, setError] = useState<Error>();
  const [isWaiting, setWaiting] = useState(true);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const aborting = new AbortController();
    setWaiting(true);
    load(aborting.signal).then(
      (answer) => {
        if (aborting.signal.aborted) return;
        setValue(() => answer);
        setError(undefined);
        setWaiting(false);
      },
      (failure: Error) => {
        if (aborting.signal.aborted) return;
        setError(failure);
        setWaiting(false);
      },
    );
    return () => aborting.abort();
  }, [...keys, round, needsLogin.value, writeCount.value]);
  return { value, error, isWaiting, again: () => setRound((count) => count + 1) };
}

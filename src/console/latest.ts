/** The answer to the latest of several questions: what comes to an earlier one is dropped, whenever it comes. */
import { useRef, useState } from 'preact/hooks';

/** A function that awaits the answer to a further question, for `take`. */
export function useLatestOf<Answer>(
  take: (answer: Answer) => void,
): (answer: Promise<Answer>) => void {
  const latest = useRef<Promise<Answer>>(undefined);
  const hear = async (answer: Promise<Answer>) => {
    latest.current = answer;
    const found = await answer;
    if (latest.current === answer) take(found);
  };
  return (answer) => void hear(answer);
}

/** The answer that is known, and a function that awaits the one to a further question. */
export function useLatest<Answer>(): readonly [
  known: Answer | undefined,
  hear: (answer: Promise<Answer>) => void,
] {
  const [known, setKnown] = useState<Answer>();
  return [known, useLatestOf(setKnown)];
}

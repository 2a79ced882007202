/** The answer to the latest of several questions: what comes to an earlier one is dropped, whenever it comes. */
import { useRef, useState } from 'preact/hooks';

/** The answer that is known, and a function that awaits the one to a further question. */
export function useLatest<Answer>(): readonly [
  known: Answer | undefined,
  hear: (answer: Promise<Answer>) => void,
] {
  const [known, setKnown] = useState<Answer>();
  const latest = useRef<Promise<Answer>>(undefined);
  const hear = async (answer: Promise<Answer>) => {
    latest.current = answer;
    const found = await answer;
    if (latest.current === answer) setKnown(found);
  };
  return [known, (answer) => void hear(answer)];
}

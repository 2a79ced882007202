/** How far a serial has come, from the write until every secondary has it. */
import { useEffect, useState } from 'preact/hooks';
import { get, Problem, type Propagation as Answer, zonePath } from '../api.ts';
import { counted } from '../counted.ts';
import { absolute } from '../moment.ts';
import { hrefOf } from '../router.ts';
import { visible } from './text.tsx';

/** Seconds of one question, so that each secondary is counted soon after it has the serial. */
const waitSeconds = 2;
/** Questions until nothing is expected any more: ten minutes. */
const questions = 300;
const restMs = 1000;

export function Propagation({ zone, serial }: { readonly zone: string; readonly serial: number }) {
  const [answer, setAnswer] = useState<Answer>();
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const aborting = new AbortController();
    const { signal } = aborting;
    void followSerial({ zone, serial, signal, heard: setAnswer }).then(() => {
      if (!signal.aborted) setOver(true);
    });
    return () => aborting.abort();
  }, [zone, serial]);
  if (answer === undefined || answer.secondaries.length === 0) return null;
  return (
    <p>
      {progressText(answer, isOver)}{' '}
      {isOver && !answer.reached && (
        <a href={hrefOf(['zones', zone, 'secondaries'], { at: undefined })}>Secondaries</a>
      )}
    </p>
  );
}

/** What is known, in one sentence or two. */
function progressText({ reached, secondaries, safe_after: safe }: Answer, isOver: boolean): string {
  const all = counted(secondaries.length, 'secondary', 'secondaries');
  const missing = secondaries.filter((each) => !each.reached);
  if (reached) {
    const lastMs = secondaries.reduce((max, each) => Math.max(max, each.delay_ms ?? 0), 0);
    const caches =
      safe === null ? '' : ` Caches have dropped what was replaced by ${absolute(safe)}.`;
    return `${all} ${secondaries.length === 1 ? 'has' : 'have'} it, after ${lastMs} ms.${caches}`;
  }
  const names = missing.map(({ name, error }) => (error === null ? name : `${name} (${error})`));
  const had = `${secondaries.length - missing.length} of ${all} have it`;
  return `${had}${isOver ? '' : '…'} Missing: ${visible(names.join(', '))}.`;
}

interface Asked {
  readonly zone: string;
  readonly serial: number;
  readonly signal: AbortSignal;
  readonly heard: (answer: Answer) => void;
}

/** Until all have it, the caller may not know, or nothing is expected any more. */
export async function followSerial({ zone, serial, signal, heard }: Asked): Promise<void> {
  for (let count = 0; count < questions && !signal.aborted; count++) {
    const query = { serial, wait: count === 0 ? 0 : waitSeconds };
    try {
      const answer = await get<Answer>(zonePath(zone, '/propagation'), query, signal);
      heard(answer);
      if (answer.reached) return;
    } catch (error) {
      const isFinal = error instanceof Problem && error.status >= 400 && error.status < 500;
      if (isFinal && error.status !== 429) return;
      await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  }
}

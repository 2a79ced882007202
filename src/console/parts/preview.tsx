/** The preview of a write: what it changes, what the service warns of, why it is made. Nothing is written without it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { go } from '../router.ts';
import { apply, type Outcome, pending, preview, type Previewed, type Write } from '../write.ts';
import { DiffTable } from './diff.tsx';
import { Answered } from './states.tsx';
import { visible } from './text.tsx';

const close = () => {
  pending.value = undefined;
};

export function Preview({ write }: { readonly write: Write }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const loaded = useLoaded(() => preview(write), [write]);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog class="preview" ref={dialog} aria-labelledby="preview" onClose={close}>
      <h2 id="preview">{write.title}</h2>
      <Answered loaded={loaded}>
        {(previewed) => (
          <Apply write={write} previewed={previewed} again={loaded.again} key={previewed.etag} />
        )}
      </Answered>
      <button type="button" onClick={() => dialog.current?.close()}>
        Cancel
      </button>
    </dialog>
  );
}

interface ApplyProps {
  readonly write: Write;
  readonly previewed: Previewed;
  readonly again: () => void;
}

function Apply({ write, previewed, again }: ApplyProps) {
  const [problem, setProblem] = useState<Error>();
  const [isWaiting, setWaiting] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const field = (name: string) => String(given.get(name) ?? '').trim();
    setWaiting(true);
    try {
      await apply(write, previewed, { reason: field('reason'), reference: field('reference') });
      close();
      if (write.leadsTo !== undefined) go(write.leadsTo);
    } catch (error) {
      setWaiting(false);
      setProblem(error as Error);
    }
  };
  const isOutdated = problem instanceof Problem && problem.status === 412;
  return (
    <form onSubmit={submit}>
      <Effect outcome={previewed.outcome} />
      <div class="why">
        <label>
          <span>Reason</span>
          <input name="reason" maxLength={1000} autocomplete="off" />
        </label>
        <label>
          <span>Reference</span>
          <input name="reference" maxLength={200} autocomplete="off" />
        </label>
      </div>
      {problem !== undefined && (
        <div class="failure" role="alert">
          <p>{isOutdated ? 'The zone has changed since. Look at it again.' : problem.message}</p>
          {isOutdated && (
            <button type="button" onClick={again}>
              Preview again
            </button>
          )}
        </div>
      )}
      {!isOutdated && (
        <button type="submit" class="primary" disabled={isWaiting}>
          {write.button}
        </button>
      )}
    </form>
  );
}

function Effect({ outcome: { diff, warnings = [], summary } }: { readonly outcome: Outcome }) {
  return (
    <>
      {diff !== undefined && <DiffTable diff={diff} limit={200} />}
      {diff === undefined && summary !== undefined && (
        <p>
          {Object.entries(summary)
            .map(([name, count]) => `${name.replaceAll('_', ' ')}: ${count}`)
            .join(', ')}
        </p>
      )}
      {warnings.length > 0 && (
        <section class="warnings" aria-label="Warnings">
          <ul>
            {warnings.map((warning) => (
              <li key={JSON.stringify(warning)}>
                {visible([warning.name, warning.type, warning.message].filter(Boolean).join(' '))}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** The preview of a write: what it changes, what the service warns of, why it is made. Nothing is written without it. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../api.ts';
import { collect } from '../basket.ts';
import { counted } from '../counted.ts';
import { useLoaded } from '../loading.ts';
import { isReachable } from '../reconnect.ts';
import { go } from '../router.ts';
import { conflictsOf } from '../undo.ts';
import {
  announce,
  apply,
  guardOf,
  isOutdatedBy,
  pending,
  preview,
  type Previewed,
  requestOf,
  type Why,
  type Write,
} from '../write.ts';
import { AsCommand } from './as-command.tsx';
import { Warnings } from './checked.tsx';
import { ConflictList } from './conflicts.tsx';
import { DiffTable } from './diff.tsx';
import { Guarded } from './guarded.tsx';
import { useModal } from './modal.ts';
import { Refusal } from './refusal.tsx';
import { SettingsDiff } from './settings-diff.tsx';
import { Skips } from './skips.tsx';
import { Answered } from './states.tsx';
import { visible } from './text.tsx';
import { noWhy, WhyFields, whyOf } from './why-fields.tsx';

export function Preview({ write }: { readonly write: Write }) {
  const { dialog, close, props } = useModal(() => {
    pending.value = undefined;
  });
  const loaded = useLoaded(() => preview(write), [write]);
  const { error } = loaded;
  // What was said stays when the zone has changed and is looked at again.
  const said = useRef(noWhy);
  const conflicts = error instanceof Problem ? conflictsOf(error) : undefined;
  useLayoutEffect(() => {
    if (error instanceof Problem && write.onRefused?.(error)) close();
  }, [error]);
  // Whoever wants to make more with the same serial lets the write wait.
  const toBasket = () => {
    if (write.edits === undefined) return;
    close();
    write.onDone?.({});
    collect(write.edits);
  };
  const applyByKeys = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !event.ctrlKey) return;
    dialog.current?.querySelector('form')?.requestSubmit();
  };
  return (
    <dialog class="preview" aria-labelledby="preview" {...props} onKeyDown={applyByKeys}>
      <h2 id="preview">{visible(write.title)}</h2>
      {conflicts === undefined ? (
        <Answered loaded={loaded} canCancel={false}>
          {(previewed) => (
            <Apply
              key={previewed.outcome.plan_hash ?? previewed.etag}
              write={write}
              previewed={previewed}
              said={said}
              again={loaded.again}
              close={close}
            />
          )}
        </Answered>
      ) : (
        <ConflictList write={write} conflicts={conflicts} />
      )}
      {write.edits !== undefined && (
        <>
          <button type="button" onClick={toBasket}>
            Put into the basket
          </button>{' '}
        </>
      )}
      <button type="button" onClick={close}>
        Cancel
      </button>
    </dialog>
  );
}

interface ApplyProps {
  readonly write: Write;
  readonly previewed: Previewed;
  readonly said: { current: Why };
  readonly again: () => void;
  readonly close: () => void;
}

function Apply({ write, previewed, said, again, close }: ApplyProps) {
  const [why, setWhy] = useState<Why>({
    ...noWhy,
    reason: said.current.reason,
    reference: said.current.reference,
  });
  const [problem, setProblem] = useState<Error>();
  const [isWaiting, setWaiting] = useState(false);
  const hear = (event: InputEvent) => {
    said.current = whyOf(event.currentTarget as HTMLFormElement);
    setWhy(said.current);
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!isReachable.value) return;
    setWaiting(true);
    try {
      const made = await apply(write, previewed, whyOf(event.currentTarget as HTMLFormElement));
      // The dialog closes first: what had the focus before it gets it back.
      close();
      void announce(write, made);
      if (write.leadsTo !== undefined) go(write.leadsTo);
    } catch (error) {
      setWaiting(false);
      setProblem(error as Error);
    }
  };
  const isOutdated = problem instanceof Problem && isOutdatedBy(problem);
  const guard = problem instanceof Problem ? guardOf(problem) : undefined;
  const advice = problem instanceof Problem ? write.advice?.[problem.code] : undefined;
  const confirmed = write.confirm ?? (why.skipped.length > 0 ? write.confirmSkip : undefined);
  return (
    <form onSubmit={submit} onInput={hear}>
      {write.note !== undefined && <p>{visible(write.note)}</p>}
      <Effect {...previewed} />
      {write.asked !== undefined && <Asked asked={write.asked} />}
      {write.skips !== undefined && <Skips skips={write.skips} />}
      {confirmed !== undefined && <Confirm name={confirmed} />}
      <WhyFields said={said.current} />
      {problem !== undefined && guard === undefined && (
        <Refusal
          error={problem}
          {...(isOutdated && { text: 'The zone has changed since. Look at it again.' })}
        >
          {advice !== undefined && <p>{advice}</p>}
          {isOutdated && (
            <button type="button" onClick={again}>
              Preview again
            </button>
          )}
        </Refusal>
      )}
      {guard !== undefined && <Guarded guard={guard} key={guard.deleted} />}
      <AsCommand request={requestOf(write, previewed, why)} />
      {!isOutdated && (
        <button type="submit" class="primary" disabled={isWaiting || !isReachable.value}>
          {write.button}
        </button>
      )}
    </form>
  );
}

/** What others were asked; the write need not wait for it. */
function Asked({ asked }: { readonly asked: NonNullable<Write['asked']> }) {
  const { value, error } = useLoaded(asked, [asked]);
  const text = error === undefined ? (value ?? 'Asking the parent…') : error.message;
  if (text === '') return null;
  return <p role="status">{visible(text)}</p>;
}

/** The browser refuses the form until it is typed. */
function Confirm({ name }: { readonly name: string }) {
  return (
    <label>
      <span>Type {visible(name)} to confirm</span>
      <input
        required
        pattern={RegExp.escape(name)}
        title={visible(name)}
        autocomplete="off"
        spellcheck={false}
      />
    </label>
  );
}

function Effect({ outcome, before }: Pick<Previewed, 'outcome' | 'before'>) {
  const { zone: after } = outcome;
  const { diff, warnings = [], summary, settings_changed: settings = [] } = outcome;
  const { records_deleted: records, versions_deleted: versions = 0, facts = [] } = outcome;
  const isDeletion = records !== undefined;
  return (
    <>
      {isDeletion && (
        <p>
          It has {counted(records, 'record')} and {counted(versions, 'version')}.
        </p>
      )}
      {diff != null && (diff.entries.length > 0 || settings.length === 0) && (
        <DiffTable diff={diff} limit={200} />
      )}
      {settings.length > 0 && <p>Settings that change: {settings.join(', ')}.</p>}
      {diff == null && summary !== undefined && (
        <p>
          {Object.entries(summary)
            .map(([name, count]) => `${name.replaceAll('_', ' ')}: ${count}`)
            .join(', ')}
        </p>
      )}
      {!isDeletion && diff === undefined && before !== undefined && after !== undefined && (
        <SettingsDiff before={before} after={after} />
      )}
      <Warnings warnings={warnings} />
      {facts.length > 0 && (
        <ul aria-label="What happens">
          {facts.map((fact) => (
            <li key={fact}>{visible(fact)}</li>
          ))}
        </ul>
      )}
    </>
  );
}

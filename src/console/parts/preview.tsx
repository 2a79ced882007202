/**
 * The preview of a write: what it changes, what the service warns of, why it is made. Nothing is written without it. It
 * is a dialog, or stands on a page of its own.
 */
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../api.ts';
import { collect } from '../basket.ts';
import { useLoaded } from '../loading.ts';
import { needsReason } from '../permissions.ts';
import { isReachable } from '../reconnect.ts';
import { go } from '../router.ts';
import { conflictsOf } from '../undo.ts';
import {
  announce,
  apply,
  guardOf,
  isOutdatedBy,
  type Outcome,
  pending,
  preview,
  requestOf,
  skippableOf,
  type Why,
  type Write,
} from '../write.ts';
import { AsCommand } from './as-command.tsx';
import { ConflictList } from './conflicts.tsx';
import { Guarded } from './guarded.tsx';
import { useModal } from './modal.ts';
import { Effect, whole, type WholePreview } from './preview-effect.tsx';
import { Refusal } from './refusal.tsx';
import { Skip } from './skips.tsx';
import { Answered } from './states.tsx';
import { visible } from './text.tsx';
import { noWhy, WhyFields, whyOf } from './why-fields.tsx';

export function Preview({ write }: { readonly write: Write }) {
  const { close, props } = useModal(() => {
    pending.value = undefined;
  });
  // Whoever wants to make more with the same serial lets the write wait.
  const toBasket = () => {
    if (write.edits === undefined) return;
    close();
    write.onDone?.({});
    collect(write.edits);
  };
  const id = useId();
  return (
    <dialog class="preview" aria-labelledby={id} {...props} onKeyDown={applyByKeys}>
      <Previewing id={id} write={write} close={close} />{' '}
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

/** The same on a page; where the write leads to is in the write. */
export function PreviewOnPage({ write }: { readonly write: Write }) {
  const id = useId();
  return (
    <section class="card on-page" aria-labelledby={id} onKeyDown={applyByKeys}>
      <Previewing id={id} write={write} close={() => {}} />
    </section>
  );
}

function applyByKeys(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !event.ctrlKey) return;
  (event.currentTarget as Element).querySelector('form')?.requestSubmit();
}

interface PreviewingProps extends Pick<ApplyProps, 'write' | 'close'> {
  /** Of its heading. */
  readonly id: string;
}

function Previewing({ id, write: given, close }: PreviewingProps) {
  const [skipped, setSkipped] = useState<readonly string[]>([]);
  const write = withSkips(given, skipped);
  const loaded = useLoaded(async (signal) => whole(await preview(write), signal), [given, skipped]);
  const { error } = loaded;
  const problem = error instanceof Problem ? error : undefined;
  const skippable = problem && skippableOf(problem);
  const serial = loaded.value?.outcome.new_serial;
  // What was said stays when the zone has changed and is looked at again.
  const said = useRef(noWhy);
  const former = useRef<Outcome>(undefined);
  const again = (outcome: Outcome) => {
    former.current = outcome;
    loaded.again();
  };
  const conflicts = problem && conflictsOf(problem);
  useLayoutEffect(() => {
    if (problem !== undefined && write.onRefused?.(problem)) close();
  }, [error]);
  return (
    <>
      <h2 id={id}>
        {visible(write.title)}
        {serial != null && ` as serial ${serial}`}
      </h2>
      {conflicts === undefined ? (
        <Answered loaded={loaded} canCancel={false}>
          {(previewed) => (
            <Apply
              key={previewed.outcome.plan_hash ?? previewed.etag}
              write={write}
              previewed={previewed}
              skipped={skipped}
              said={said}
              former={former.current}
              again={again}
              close={close}
            />
          )}
        </Answered>
      ) : (
        <ConflictList write={write} conflicts={conflicts} />
      )}
      {problem !== undefined && <Advice write={write} problem={problem} />}
      {skippable !== undefined && (
        <Skip
          key={skippable.by}
          skippable={skippable}
          skip={() => setSkipped([...skipped, skippable.by])}
        />
      )}
    </>
  );
}

/** The same write without some of its checks. */
function withSkips(write: Write, skipped: readonly string[]): Write {
  if (skipped.length === 0) return write;
  const skips = Object.fromEntries(skipped.map((by) => [by, true]));
  return { ...write, body: { ...write.body, ...skips } };
}

/** What can be done about a refusal, where that is known. */
function Advice({ write, problem }: { readonly write: Write; readonly problem: Problem }) {
  const text = write.advice?.[problem.code];
  return text === undefined ? null : <p>{text}</p>;
}

interface ApplyProps {
  readonly write: Write;
  readonly previewed: WholePreview;
  /** Fields of the body that skip checks. */
  readonly skipped: readonly string[];
  readonly said: { current: Why };
  /** What the preview said before, where the zone has changed since. */
  readonly former: Outcome | undefined;
  /** Previews again, with what the preview says now to compare with. */
  readonly again: (outcome: Outcome) => void;
  readonly close: () => void;
}

function Apply({ write, previewed, skipped, said, former, again, close }: ApplyProps) {
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
      if (error instanceof Problem && isOutdatedBy(error)) again(previewed.outcome);
    }
  };
  const isOutdated = problem instanceof Problem && isOutdatedBy(problem);
  const guard = problem instanceof Problem ? guardOf(problem) : undefined;
  const lacksReason = needsReason() && why.reason === '';
  const lacksId = useId();
  const confirmed = write.confirm ?? (skipped.length > 0 ? String(write.zone) : undefined);
  return (
    <form onSubmit={submit} onInput={hear}>
      {former !== undefined && <Changed />}
      {write.note !== undefined && <p>{visible(write.note)}</p>}
      <Effect {...previewed} former={former} />
      {write.asked !== undefined && <Asked asked={write.asked} />}
      {confirmed !== undefined && <Confirm name={confirmed} />}
      <WhyFields said={said.current} />
      {problem !== undefined && guard === undefined && !isOutdated && (
        <Refusal error={problem}>
          {problem instanceof Problem && <Advice write={write} problem={problem} />}
        </Refusal>
      )}
      {guard !== undefined && <Guarded guard={guard} key={guard.deleted} />}
      <AsCommand request={requestOf(write, previewed, why)} />
      {!isOutdated && (
        <button
          type="submit"
          class="primary"
          disabled={isWaiting || !isReachable.value}
          aria-describedby={lacksReason ? lacksId : undefined}
        >
          {write.button}
        </button>
      )}
      {!isOutdated && lacksReason && (
        <span id={lacksId} class="muted">
          {' '}
          Your role gives a reason for everything it writes: type one first.
        </span>
      )}
    </form>
  );
}

/** The button that was pressed has gone: this has the focus, and is read out. */
function Changed() {
  const notice = useRef<HTMLParagraphElement>(null);
  useEffect(() => notice.current?.focus(), []);
  return (
    <p role="alert" class="failure" tabIndex={-1} ref={notice}>
      The zone has changed since, and nothing was written. This is what it would do now; lines that
      were not in the preview before say “new”.
    </p>
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

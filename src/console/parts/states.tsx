/** What stands where an answer will be: waiting, refused, empty. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../api.ts';
import { heldUntil } from '../held.ts';
import type { Loaded } from '../loading.ts';
import { Refusal } from './refusal.tsx';
import { visible } from './text.tsx';

/** Words for a refusal; what is hidden and what is not there are told alike. */
function explained(error: Error): string {
  if (!(error instanceof Problem)) return error.message;
  if (error.status === 404) return 'There is no such thing, or it is not visible to you.';
  return error.message;
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

const skeletonRows = ['a', 'b', 'c', 'd', 'e', 'f'];

function Skeleton() {
  return (
    <div class="skeleton" aria-hidden="true">
      {skeletonRows.map((row) => (
        <div key={row} />
      ))}
    </div>
  );
}

const lateMs = 5000;

interface LateProps extends Pick<Loaded<unknown>, 'asked'> {
  /** Undefined where something else ends the wait. */
  readonly cancel: (() => void) | undefined;
}

/** Nothing at first; after a while what is waited for, and the way to wait no longer. */
function Late({ asked, cancel }: LateProps) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), lateMs);
    return () => clearTimeout(timer);
  }, []);
  // That the service asked to wait is said by the frame.
  if (!isLate || heldUntil.value !== null) return null;
  return (
    <p role="status" aria-label="Slow answer">
      {visible(`No answer to ${asked() || 'a request'} for more than 5 seconds.`)}{' '}
      {cancel !== undefined && (
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      )}
    </p>
  );
}

/**
 * The answer once it is there; until then a skeleton, and the refusal instead of it. An answer that is there stays below
 * the refusal of a later one.
 */
export function Answered<Value>({
  loaded,
  canCancel = true,
  children,
}: {
  readonly loaded: Loaded<Value>;
  /** False where something else ends the wait: a dialog that closes. */
  readonly canCancel?: boolean;
  readonly children: (value: Value) => ComponentChildren;
}) {
  const { value, error, isWaiting, again, asked, cancel } = loaded;
  const isLoading = value === undefined && error === undefined;
  return (
    <div aria-busy={isLoading || isWaiting}>
      {isWaiting && <Late asked={asked} cancel={canCancel ? cancel : undefined} />}
      {error !== undefined && (
        <Refusal error={error} text={explained(error)}>
          <button type="button" onClick={again}>
            Try again
          </button>
        </Refusal>
      )}
      {isLoading && (
        <>
          <p class="unseen" role="status">
            Loading
          </p>
          <Skeleton />
        </>
      )}
      {value !== undefined && children(value)}
    </div>
  );
}

/** What stands where an answer will be: waiting, refused, empty. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../api.ts';
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

/** Nothing at first; after a while what is waited for, and the way to wait no longer. */
function Late({ asked, cancel }: Pick<Loaded<unknown>, 'asked' | 'cancel'>) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), lateMs);
    return () => clearTimeout(timer);
  }, []);
  if (!isLate) return null;
  return (
    <p role="status" aria-label="Slow answer">
      {visible(`No answer to ${asked() || 'a request'} for more than 5 seconds.`)}{' '}
      <button type="button" onClick={cancel}>
        Cancel
      </button>
    </p>
  );
}

/**
 * The answer once it is there; until then a skeleton, and the refusal instead of it. An answer that is there stays below
 * the refusal of a later one.
 */
export function Answered<Value>({
  loaded,
  children,
}: {
  readonly loaded: Loaded<Value>;
  readonly children: (value: Value) => ComponentChildren;
}) {
  const { value, error, isWaiting, again } = loaded;
  const isLoading = value === undefined && error === undefined;
  return (
    <div aria-busy={isLoading || isWaiting}>
      {isWaiting && <Late {...loaded} />}
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

/** What stands where an answer will be: waiting, refused, empty. */
import type { ComponentChildren } from 'preact';
import { Problem } from '../api.ts';
import type { Loaded } from '../loading.ts';
import { Refusal } from './refusal.tsx';

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

/** The answer once it is there; until then a skeleton, and the refusal instead of it. */
export function Answered<Value>({
  loaded,
  children,
}: {
  readonly loaded: Loaded<Value>;
  readonly children: (value: Value) => ComponentChildren;
}) {
  const { value, error, isWaiting, again } = loaded;
  if (error !== undefined) {
    return (
      <Refusal error={error} text={explained(error)}>
        <button type="button" onClick={again}>
          Try again
        </button>
      </Refusal>
    );
  }
  if (value === undefined) {
    return (
      <div aria-busy="true">
        <p class="unseen" role="status">
          Loading
        </p>
        <Skeleton />
      </div>
    );
  }
  return <div aria-busy={isWaiting}>{children(value)}</div>;
}

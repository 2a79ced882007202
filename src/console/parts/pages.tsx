/** Links to the pages of a list before and after the one that is shown. */
import { hrefWith } from '../router.ts';

export const pageSize = 100;

export function Pages({
  offset,
  total,
  noun,
}: {
  readonly offset: number;
  readonly total: number;
  readonly noun: string;
}) {
  const end = Math.min(total, offset + pageSize);
  const text = `${(offset + 1).toLocaleString('en')} to ${end.toLocaleString('en')} of ${total.toLocaleString('en')} ${noun}`;
  return (
    <nav class="pages" aria-label="Pages">
      <span role="status">{total === 0 ? `no ${noun}` : text}</span>
      {offset > 0 && (
        <a rel="prev" href={hrefWith({ offset: String(Math.max(0, offset - pageSize)) })}>
          Previous
        </a>
      )}
      {end < total && (
        <a rel="next" href={hrefWith({ offset: String(end) })}>
          Next
        </a>
      )}
    </nav>
  );
}

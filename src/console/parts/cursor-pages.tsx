/** The pages of a list one below the other: each is asked for by a button, where the one before has ended. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../loading.ts';
import { Answered } from './states.tsx';

interface CursorPagesProps<Answer> {
  /** The cursor of the first page is ''. */
  readonly load: (cursor: string, signal: AbortSignal) => Promise<Answer>;
  /** What the button says. */
  readonly more: (answer: Answer) => string;
  readonly children: (answer: Answer) => ComponentChildren;
}

interface WithNext {
  readonly next_cursor: string | null;
}

export function CursorPages<Answer extends WithNext>(props: CursorPagesProps<Answer>) {
  const [cursors, setCursors] = useState<readonly string[]>(['']);
  return cursors.map((cursor, index) => (
    <Page
      key={cursor}
      {...props}
      cursor={cursor}
      isLast={index === cursors.length - 1}
      goOn={(next) => setCursors([...cursors, next])}
    />
  ));
}

interface PageProps<Answer> extends CursorPagesProps<Answer> {
  readonly cursor: string;
  readonly isLast: boolean;
  readonly goOn: (next: string) => void;
}

function Page<Answer extends WithNext>(props: PageProps<Answer>) {
  const { load, more, children, cursor, isLast, goOn } = props;
  const loaded = useLoaded((signal) => load(cursor, signal), []);
  return (
    <Answered loaded={loaded}>
      {(answer) => {
        const { next_cursor: next } = answer;
        return (
          <>
            {children(answer)}
            {isLast && next !== null && (
              <button type="button" onClick={() => goOn(next)}>
                {more(answer)}
              </button>
            )}
          </>
        );
      }}
    </Answered>
  );
}

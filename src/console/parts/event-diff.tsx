/** What one change did: folded where it is long, and asked for page by page where the list has not all of it. */
import { useState } from 'preact/hooks';
import { type Event, get } from '../api.ts';
import { counted } from '../counted.ts';
import { CursorPages } from './cursor-pages.tsx';
import { DiffTable } from './diff.tsx';

const foldedLines = 5;
/** RRsets of a page. */
const pageRrsets = 100;
/** Lines of a page: an RRset may have thousands of values. */
const pageLines = 1000;

/** `+1,204 −3 records`; nothing for what changed none. */
export function RecordCounts({ event: { summary } }: { readonly event: Event }) {
  const { added = 0, removed = 0 } = summary ?? {};
  if (added + removed === 0) return null;
  const parts = [
    added > 0 && `+${added.toLocaleString('en')}`,
    removed > 0 && `−${removed.toLocaleString('en')}`,
  ].filter(Boolean);
  const noun = added + removed === 1 ? 'record' : 'records';
  return <span class="muted">{`${parts.join(' ')} ${noun}`}</span>;
}

export function FoldedDiff({ event }: { readonly event: Event }) {
  const { seq, diff, diff_truncated: isCut, summary } = event;
  const [isOpen, setOpen] = useState(false);
  if (diff === null || (diff.entries.length === 0 && !isCut)) return null;
  const lines = diff.entries.reduce((sum, { from, to }) => sum + from.length + to.length, 0);
  if (lines <= foldedLines && !isCut) return <DiffTable diff={diff} />;
  const rrsets = isCut ? (summary?.changed ?? undefined) : undefined;
  return (
    <details onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
      <summary>
        {lines === 0 ? (
          'What it changed'
        ) : (
          <DiffTable diff={diff} limit={foldedLines} rrsets={rrsets} />
        )}
      </summary>
      {isCut ? isOpen && <Pages seq={seq} /> : <DiffTable diff={diff} />}
    </details>
  );
}

interface EventPart {
  readonly event: Event;
  readonly next_cursor: string | null;
}

function Pages({ seq }: { readonly seq: number }) {
  return (
    <CursorPages
      load={(cursor, signal) =>
        get<EventPart>(`/events/${seq}`, { limit: pageRrsets, cursor }, signal)
      }
      more={({ event: { summary } }) =>
        `More RRsets${summary?.changed == null ? '' : ` of ${counted(summary.changed, 'RRset')}`}`
      }
    >
      {({ event: { diff } }) => diff !== null && <DiffTable diff={diff} limit={pageLines} />}
    </CursorPages>
  );
}

/**
 * Events as they come: those behind a number that pass a filter, in order, none twice. A stream that ends is opened
 * again behind the last event that it brought; while the page is hidden there is none.
 *
 * ```
 *   waiting --opened--> live --ended--> lost --a question is answered--> waiting
 *                                        |  1 s to 30 s from one question to the next
 * ```
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Event, get, needsLogin, pathWith, type Query } from './api.ts';
import { writeCount } from './write.ts';

/** Events that are kept; who wants more asks for the list again. */
export const liveEvents = 200;
const firstDelayMs = 1000;
const longestDelayMs = 30_000;

export interface Live {
  /** In the order of the journal. */
  readonly events: readonly Event[];
  /** There were more than are kept. */
  readonly isFull: boolean;
  /** Since when nothing comes; undefined while the stream is open, or opens for the first time. */
  readonly lostSince: string | undefined;
  /** Counts writes of this page whose events are among these. */
  readonly ownWrites: number;
}

const nothing: Live = { events: [], isFull: false, lostSince: undefined, ownWrites: 0 };

function withMore(live: Live, more: readonly Event[]): Live {
  let events = live.events;
  for (const event of more) {
    // A write of this page is asked for, and comes by the stream as well.
    if (events.find(({ seq }) => seq === event.seq)?.at === event.at) continue;
    // A database that was taken back goes on with numbers that other events had.
    events = [...events.filter(({ seq }) => seq < event.seq), event];
  }
  return { ...live, events: events.slice(0, liveEvents), isFull: events.length > liveEvents };
}

/** `after`: undefined while it is not known; then nothing is asked. */
export function useLive(query: Query, after: number | undefined): Live {
  const [live, setLive] = useState(nothing);
  const last = useRef(after ?? 0);
  last.current = live.events.at(-1)?.seq ?? after ?? 0;
  /** The id of the last event that came by the stream. */
  const id = useRef<string | undefined>(undefined);
  const take = (more: readonly Event[]) => setLive((known) => withMore(known, more));
  useEffect(() => {
    if (after === undefined || needsLogin.value || live.isFull) return;
    return followWhileVisible({
      path: () => pathWith('/events/stream', { ...query, after: id.current ?? last.current }),
      take: (event, eventId) => {
        // Of before any restore, where a number alone would be that of the event that has it now.
        id.current = eventId.includes('-') ? eventId : `1-${eventId}`;
        take([event]);
      },
      opened: () => setLive((known) => ({ ...known, lostSince: undefined })),
      lost: () => {
        const since = new Date().toISOString();
        setLive((known) => ({ ...known, lostSince: known.lostSince ?? since }));
      },
    });
  }, [after === undefined, needsLogin.value, live.isFull]);
  const ownWrite = useRef(writeCount.value);
  useEffect(() => {
    if (after === undefined || writeCount.value === ownWrite.current) return;
    ownWrite.current = writeCount.value;
    const newer = { ...query, after: last.current, order: 'asc', limit: liveEvents };
    get<{ items: readonly Event[] }>('/events', newer).then(
      ({ items }) => {
        take(items);
        setLive((known) => ({ ...known, ownWrites: known.ownWrites + 1 }));
      },
      // The stream brings them.
      () => {},
    );
  }, [writeCount.value]);
  return live;
}

interface Follower {
  /** Where the stream is, from the last event on. */
  readonly path: () => string;
  readonly take: (event: Event, id: string) => void;
  readonly opened: () => void;
  readonly lost: () => void;
}

/** Returns what ends it. */
function followWhileVisible(follower: Follower): () => void {
  let end = document.hidden ? () => {} : follow(follower);
  const turn = () => {
    end();
    end = document.hidden ? () => {} : follow(follower);
  };
  document.addEventListener('visibilitychange', turn);
  return () => {
    document.removeEventListener('visibilitychange', turn);
    end();
  };
}

function follow({ path, take, opened, lost }: Follower): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let delayMs = firstDelayMs;
  const open = () => {
    source = new EventSource(path());
    source.onopen = () => {
      delayMs = firstDelayMs;
      opened();
    };
    source.onmessage = ({ data, lastEventId }) => take(JSON.parse(data), lastEventId);
    source.onerror = () => {
      source?.close();
      lost();
      timer = setTimeout(probe, delayMs);
    };
  };
  // It tells a login that has ended from a service that is away.
  const probe = () => {
    delayMs = Math.min(longestDelayMs, delayMs * 2);
    get('/events', { limit: 1 }).then(open, () => {
      timer = setTimeout(probe, delayMs);
    });
  };
  open();
  return () => {
    source?.close();
    clearTimeout(timer);
  };
}

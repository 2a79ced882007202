/** Streams of events as text: server-sent events (WHATWG HTML 9.2), or a line of JSON for each. */
import { limits } from '../base/limits.ts';
import type { EventLine } from '../query/event-tail-job.ts';
import type { Followed } from '../query/event-tail.ts';
import type { Answer } from './answer.ts';
import type { Exchange } from './endpoint.ts';

interface Form {
  readonly mediaType: string;
  /** What it begins with: how soon a client that lost it asks again, and from where if nothing comes. */
  head(id: string): string;
  event(id: string, json: string): string;
  /** What is sent where there is nothing to tell. */
  readonly idle: string;
}

const serverSent: Form = {
  mediaType: 'text/event-stream',
  // Who gets no event before the database is taken back asks again from there.
  head: (id) => `retry: 1000\nid: ${id}\n\n`,
  event: (id, json) => `id: ${id}\ndata: ${json}\n\n`,
  idle: ':\n\n',
};

const lines: Form = {
  mediaType: 'application/x-ndjson',
  head: () => '',
  event: (_, json) => `${json}\n`,
  idle: '\n',
};

/** The answer that goes on as long as the feed does. Proxies pass on what they get at once. */
export function streamOfEvents(
  feed: Followed,
  idOf: (seq: number) => string,
  { header, stopping }: Exchange,
): Answer {
  const form = /\bapplication\/x-ndjson\b/i.test(header('accept') ?? '') ? lines : serverSent;
  const textOf = ([seq, json]: EventLine) => form.event(idOf(seq), json);
  const end = () => feed.end();
  stopping?.addEventListener('abort', end, { once: true });
  if (stopping?.aborted) end();
  let text: string | undefined = form.head(idOf(feed.position)) || undefined;
  const body: AsyncIterableIterator<Uint8Array> = {
    async next() {
      if (text === undefined) {
        const events = await feed.next(limits.eventStreamIdleMs);
        if (events === undefined) return this.return!();
        text = events.length === 0 ? form.idle : events.map(textOf).join('');
      }
      const value = Buffer.from(text);
      text = undefined;
      return { done: false, value };
    },
    async return() {
      stopping?.removeEventListener('abort', end);
      end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return { status: 200, mediaType: form.mediaType, body, headers: { 'X-Accel-Buffering': 'no' } };
}

/** One event as the journal has it, folded: a link to it, the id of its request, and the whole with its hash. */
import { useState } from 'preact/hooks';
import type { Event } from '../api.ts';
import { hrefOf } from '../router.ts';
import { webAddress } from '../web-address.ts';
import { Copy } from './copy.tsx';
import { visible } from './text.tsx';

export function EventDetails({ event }: { readonly event: Event }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="as-command" onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
      <summary class="muted">Event {event.seq}</summary>
      {isOpen && <Details event={event} />}
    </details>
  );
}

/** It alone in its list: others of the same millisecond would stand beside it. */
function linkTo({ zone, at }: Event): string {
  const parameters = { at: undefined, since: at, until: at };
  const isHere = zone !== null && !zone.deleted;
  const path = isHere ? ['zones', zone.name, 'timeline'] : ['changes'];
  return `${location.origin}${hrefOf(path, parameters)}`;
}

/** Characters that are shown; the copy has all of them. */
const shownCharacters = 20_000;

function Details({ event }: { readonly event: Event }) {
  const { seq, request_id: requestId } = event;
  const link = linkTo(event);
  const json = JSON.stringify(event, null, 2);
  const more = json.length - shownCharacters;
  const lines = json.slice(0, shownCharacters).split('\n');
  return (
    <>
      <p>
        <a href={link}>Link to this change</a>{' '}
        <Copy text={link} what={`to change ${seq}`}>
          Copy link
        </Copy>
      </p>
      {requestId !== null && (
        <p>
          X-Request-Id: <code class="value">{visible(requestId)}</code>{' '}
          <Copy text={requestId} what={`the request id of change ${seq}`} />
        </p>
      )}
      <figure aria-label={`Event ${seq}`}>
        <pre>{lines.map(visible).join('\n')}</pre>
        {more > 0 && <p class="muted">… {more.toLocaleString('en')} characters more</p>}
        <Copy text={json} what={`event ${seq}`} />
      </figure>
    </>
  );
}

/** What a caller typed: it is led to only where it is the address of a page, and to nowhere of this one. */
export function Reference({ text }: { readonly text: string }) {
  const address = webAddress(text);
  return (
    <p class="muted">
      Reference:{' '}
      {address === undefined ? (
        visible(text)
      ) : (
        <a href={address} target="_blank" rel="noreferrer noopener">
          {visible(text)}
        </a>
      )}
    </p>
  );
}

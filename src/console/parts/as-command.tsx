/** What a preview would send, as lines to copy into a shell. */
import { useState } from 'preact/hooks';
import { commandLine, curlLine } from '../command-lines.ts';
import { self } from '../session.ts';
import type { HttpWrite } from '../write.ts';
import { Copy } from './copy.tsx';

export function AsCommand({ request }: { readonly request: HttpWrite }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="as-command" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show as curl</summary>
      {isOpen && <Lines request={request} />}
    </details>
  );
}

function Lines({ request }: { readonly request: HttpWrite }) {
  const hasToken = self.value?.session != null;
  const command = commandLine(location.origin, request);
  return (
    <>
      <Line name="curl" text={curlLine(location.origin, request, hasToken)} />
      {command !== undefined && <Line name="zonebook" text={command} />}
      <p class="muted">
        {hasToken && 'The token is taken from the variable ZONEBOOK_TOKEN, which you set. '}
        {request.headers['if-match'] !== undefined &&
          'Only curl is refused when the zone has changed since this preview.'}
      </p>
    </>
  );
}

/** Characters that are shown; the copy has all of them. */
const shownCharacters = 4000;

function Line({ name, text }: { readonly name: string; readonly text: string }) {
  const more = text.length - shownCharacters;
  return (
    <figure aria-label={name}>
      <pre>{text.slice(0, shownCharacters)}</pre>
      {more > 0 && <p class="muted">… {more.toLocaleString('en')} characters more</p>}
      <Copy text={text} what={`the ${name} line`} />
    </figure>
  );
}

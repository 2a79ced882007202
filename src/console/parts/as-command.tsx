/** What a preview would send, and what a screen reads, as lines to copy into a shell. */
import { useState } from 'preact/hooks';
import { commandLine, curlLine, type HttpRequest } from '../command-lines.ts';
import { path } from '../router.ts';
import { readOfScreen } from '../screen-reads.ts';
import { self } from '../session.ts';
import { Copy } from './copy.tsx';

interface AsCommandProps {
  readonly request: HttpRequest;
  readonly title?: string;
}

export function AsCommand({ request, title = 'Show as curl' }: AsCommandProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="as-command" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <Lines request={request} />}
    </details>
  );
}

/** What the screen of the address shows. */
export function ScreenAsCommand() {
  const request = readOfScreen(path.value);
  return request && <AsCommand request={request} title="Ask for this page by curl" />;
}

function Lines({ request }: { readonly request: HttpRequest }) {
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

/** What is new in the version that runs: what its changelog says, asked for when it is opened. */
import { useState } from 'preact/hooks';
import { getText } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { blocksOf, textOf } from '../news.ts';
import { Answered } from './states.tsx';
import { visible } from './text.tsx';

/** The page names the file, which the browser keeps: another version has another one. */
async function readNews(signal: AbortSignal): Promise<string> {
  const { href } = document.querySelector<HTMLLinkElement>('link[rel=help]')!;
  const text = await getText(new URL(href).pathname, {}, signal);
  // Another version answers with its page.
  if (text.startsWith('<')) throw new Error('load the page again');
  return text;
}

export function News() {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>What is new in this version</summary>
      {isOpen && <Changes />}
    </details>
  );
}

function Changes() {
  const loaded = useLoaded(readNews, []);
  return (
    <Answered loaded={loaded}>
      {(text) => (
        <section aria-label="What is new">
          {blocksOf(text).map(({ kind: Tag, lines }, at) => (
            <Tag key={at}>
              {Tag === 'ul'
                ? lines.map((line, item) => <li key={item}>{visible(textOf(line))}</li>)
                : visible(textOf(lines[0]!))}
            </Tag>
          ))}
        </section>
      )}
    </Answered>
  );
}

/** A text to copy by one press, which says whether the browser did. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

const saidMs = 4000;

interface CopyProps {
  readonly text: string;
  /** What it copies, for who does not see what it stands by: `the curl line`. */
  readonly what: string;
  readonly onCopied?: () => void;
  readonly children?: ComponentChildren;
}

export function Copy({ text, what, onCopied, children = 'Copy' }: CopyProps) {
  const [said, setSaid] = useState('');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    if (isCopied) onCopied?.();
    setSaid(isCopied ? 'Copied.' : 'The browser refuses it: select the line and copy it.');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setSaid(''), saidMs);
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {children} <span class="unseen">{what}</span>
      </button>{' '}
      <span role="status">{said}</span>
    </>
  );
}

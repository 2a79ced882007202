/** Why something was refused, and how long the service asks to wait before it is tried again. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../api.ts';
import { counted } from '../counted.ts';
import { visible } from './text.tsx';

interface RefusalProps {
  readonly error: Error;
  /** Words for it; its own when left out. */
  readonly text?: string;
  /** What can be done about it. */
  readonly children?: ComponentChildren;
}

export function Refusal({ error, text = error.message, children }: RefusalProps) {
  const until = error instanceof Problem ? error.retryAt : undefined;
  return (
    <div class="failure">
      <p role="alert">{visible(text)}</p>
      {until !== undefined && (
        <p>
          <Countdown until={until} />
        </p>
      )}
      {children}
    </div>
  );
}

/** `until` in milliseconds. It is not read out each second. */
export function Countdown({ until }: { readonly until: number }) {
  const [now, setNow] = useState(Date.now());
  const leftMs = until - now;
  useEffect(() => {
    if (leftMs <= 0) return;
    const timer = setTimeout(() => setNow(Date.now()), leftMs % 1000 || 1000);
    return () => clearTimeout(timer);
  }, [now, until]);
  return (
    <span role="timer">
      {leftMs > 0
        ? `The service asks to wait ${counted(Math.ceil(leftMs / 1000), 'second')}.`
        : 'It can be tried again now.'}
    </span>
  );
}

/** A button that makes a file of many answers of the service, says how far it is, and stops when that is wanted. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { save } from '../save.ts';
import { visible } from './text.tsx';

export interface Saving {
  readonly signal: AbortSignal;
  /** Says how far it is, and in the end what was saved. */
  readonly report: (text: string) => void;
}

interface SaveButtonProps {
  /** Of the file. */
  readonly name: string;
  readonly mediaType: string;
  readonly textsOf: (saving: Saving) => AsyncIterable<string>;
  readonly children: ComponentChildren;
}

export function SaveButton({ name, mediaType, textsOf, children }: SaveButtonProps) {
  const [said, setSaid] = useState('');
  const [isSaving, setSaving] = useState(false);
  const aborting = useRef<AbortController>(undefined);
  useEffect(() => () => aborting.current?.abort(), []);
  const start = async () => {
    const controller = new AbortController();
    aborting.current = controller;
    setSaving(true);
    setSaid('');
    try {
      await save(name, mediaType, textsOf({ signal: controller.signal, report: setSaid }));
    } catch (error) {
      setSaid(controller.signal.aborted ? 'Stopped: nothing was saved.' : (error as Error).message);
    }
    setSaving(false);
  };
  return (
    <span class="saving">
      {isSaving ? (
        <button type="button" onClick={() => aborting.current?.abort()}>
          Stop saving {children}
        </button>
      ) : (
        <button type="button" onClick={() => void start()}>
          {children}
        </button>
      )}{' '}
      <span role="status">{visible(said)}</span>
    </span>
  );
}

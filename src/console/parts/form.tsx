/** A form in a dialog, whose answer is a write to preview. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { collect, collectedCount } from '../basket.ts';
import { isReachable } from '../reconnect.ts';
import { pending, type Write, writeCount } from '../write.ts';
import { useModal } from './modal.ts';
import { visible } from './text.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  /** The write that the filled form means. */
  readonly writeOf: (field: (name: string) => string) => Write;
  /** Whether its write can wait in the basket. */
  readonly canCollect?: boolean;
}

export function FormDialog({
  title,
  children,
  onClose,
  writeOf,
  canCollect = false,
}: FormDialogProps) {
  const { close, props } = useModal(onClose);
  const count = writeCount.value + collectedCount.value;
  const before = useRef(count);
  // It stays below the preview, with what was typed, until the write is made or waits in the basket.
  useLayoutEffect(() => {
    if (count !== before.current) close();
  }, [count]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const write = writeOf((name) => String(given.get(name) ?? '').trim());
    const { value } = (event.submitter as HTMLButtonElement | null) ?? {};
    if (value !== 'collect' || write.edits === undefined) pending.value = write;
    else {
      write.onDone?.({});
      collect(write.edits);
    }
  };
  return (
    <dialog aria-labelledby="form" {...props}>
      <h2 id="form">{title}</h2>
      <form onSubmit={submit}>
        {children}
        <button type="submit" class="primary" disabled={!isReachable.value}>
          Preview
        </button>{' '}
        {canCollect && (
          <button type="submit" value="collect">
            Put into the basket
          </button>
        )}{' '}
        <button type="button" onClick={close}>
          Cancel
        </button>
      </form>
    </dialog>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly isNeeded?: boolean;
  readonly hint?: string;
  /** For a whole number. */
  readonly isNumber?: boolean;
  /** Hears what is typed; then `value` is what it shows, else what it begins with. */
  readonly onText?: (text: string) => void;
  /** What is wrong with what is typed. */
  readonly error?: string | undefined;
}

export function Field({
  name,
  label,
  value = '',
  isNeeded,
  hint,
  isNumber,
  onText,
  error,
}: FieldProps) {
  const id = useId();
  const kind = isNumber ? ({ inputMode: 'numeric', pattern: '[0-9]*' } as const) : {};
  const onInput = (event: InputEvent) => onText?.((event.currentTarget as HTMLInputElement).value);
  const content = onText === undefined ? { defaultValue: value } : { value, onInput };
  const wrong = error === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': id };
  return (
    <>
      <label>
        <span>{label}</span>
        <input
          name={name}
          required={isNeeded}
          autocomplete="off"
          {...content}
          {...kind}
          {...wrong}
        />
        {hint !== undefined && <small class="muted">{hint}</small>}
      </label>
      {error !== undefined && (
        <p class="field-error" role="status" id={id}>
          {visible(error)}
        </p>
      )}
    </>
  );
}

/** What was done a moment ago, until it is dismissed. */
import { dismiss, toasts } from '../write.ts';
import { visible } from './text.tsx';

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text }) => (
        <p key={id} class="toast">
          <span>{visible(text)}</span>
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </button>
        </p>
      ))}
    </div>
  );
}

/** What was done a moment ago, with the way back, until it is dismissed. */
import { may } from '../permissions.ts';
import { hrefOf } from '../router.ts';
import { isUndoable, undoOf } from '../undo.ts';
import { dismiss, pending, type Toast, toasts } from '../write.ts';
import { Propagation } from './propagation.tsx';
import { visible } from './text.tsx';

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <ToastLine key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastLine({ toast: { id, text, event } }: { readonly toast: Toast }) {
  const undo = () => {
    if (event) pending.value = undoOf(event);
    dismiss(id);
  };
  const zone = event?.zone?.deleted === false ? event.zone : undefined;
  const serial = zone === undefined ? null : (event?.serial ?? null);
  return (
    <div class="toast">
      <div>
        <p>
          {visible(text)}
          {serial !== null && ` ${visible(zone?.name ?? '')} has serial ${serial}.`}
        </p>
        {zone !== undefined && serial !== null && may(zone.name, 'zone:read') && (
          <Propagation zone={zone.name} serial={serial} />
        )}
      </div>
      {event && isUndoable(event) && (
        <button type="button" onClick={undo}>
          Undo
        </button>
      )}
      {zone !== undefined && (
        <a href={hrefOf(['zones', zone.name, 'timeline'], { at: undefined })}>See</a>
      )}
      <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
        ×
      </button>
    </div>
  );
}

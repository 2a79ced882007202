/** What was done a moment ago, with the way back, until it is dismissed. */
import { may } from '../permissions.ts';
import { hrefOf } from '../router.ts';
import { isUndoable, startUndo } from '../undo.ts';
import { dismiss, type Toast, toasts } from '../write.ts';
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

function ToastLine({ toast: { id, text, events, isWhole } }: { readonly toast: Toast }) {
  const undo = () => {
    void startUndo(events);
    dismiss(id);
  };
  const made = events.flatMap(({ zone, serial }) =>
    zone?.deleted === false ? { name: zone.name, serial } : [],
  );
  const served = made.flatMap(({ name, serial }) => (serial === null ? [] : { name, serial }));
  return (
    <div class="toast">
      <div>
        <p>
          {visible(text)}
          {served.map(({ name, serial }) => ` ${visible(name)} has serial ${serial}.`)}
        </p>
        {served.map(
          ({ name, serial }) =>
            may(name, 'zone:read') && <Propagation key={name} zone={name} serial={serial} />,
        )}
      </div>
      {isWhole && events.length > 0 && events.every(isUndoable) && (
        <button type="button" onClick={undo}>
          Undo
        </button>
      )}
      {made.map(({ name }) => (
        <a key={name} href={hrefOf(['zones', name, 'timeline'], { at: undefined })}>
          See{made.length > 1 && ` ${visible(name)}`}
        </a>
      ))}
      <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
        ×
      </button>
    </div>
  );
}

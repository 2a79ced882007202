/** The keys of the page, and the switch that turns them off. */
import { useEffect, useRef } from 'preact/hooks';
import { areKeysOn, isHelpOpen, keys, switchKeys } from '../keys.ts';

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <dialog ref={dialog} aria-labelledby="help" onClose={close}>
      <h2 id="help">Keys</h2>
      <dl class="keys">
        {keys.map(([given, does]) => (
          <div key={given}>
            <dt>
              <kbd>{given}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label>
        <input
          type="checkbox"
          checked={areKeysOn.value}
          onChange={(event) => switchKeys(event.currentTarget.checked)}
        />{' '}
        Keys are on
      </label>
      <form method="dialog">
        <button type="submit" class="primary">
          Close
        </button>
      </form>
    </dialog>
  );
}

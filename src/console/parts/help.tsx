/** The keys of the page, and the switch that turns them off. */
import { areKeysOn, isHelpOpen, keys, switchKeys } from '../keys.ts';
import { useModal } from './modal.ts';

export function Help() {
  const { close, props } = useModal(() => {
    isHelpOpen.value = false;
  });
  return (
    <dialog aria-labelledby="help" {...props}>
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
      <button type="button" class="primary" onClick={close}>
        Close
      </button>
    </dialog>
  );
}

/** A dialog over the page. */
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks';

/**
 * A `<dialog>` that opens and closes at once, not with the next drawing of the page: the key after the
 * one that asked for it is typed into it, and the one after it is closed goes to the page.
 *
 * @param onClosed Called once. What had the focus before has it again.
 */
export function useModal(onClosed: () => void) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isClosed = useRef(false);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const close = useCallback(() => {
    if (isClosed.current) return;
    isClosed.current = true;
    dialog.current?.close();
    onClosed();
  }, []);
  return { dialog, close, props: { ref: dialog, onCancel: close, onClose: close } };
}

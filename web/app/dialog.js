// Dialogs: modal, closed by Escape or a click beside them; afterwards the focus returns to where it
// was.

import { useLayoutEffect, useRef } from './html.js';

/**
 * A ref for a dialog that is modal as long as it is there.
 * @returns {{current: HTMLDialogElement | null}}
 */
export function useModal() {
  const dialog = useRef(null);
  useLayoutEffect(() => {
    const origin = document.activeElement;
    const opened = dialog.current;
    opened.showModal();
    return () => {
      // The event of this comes later, when another dialog may be open.
      opened.addEventListener('close', event => event.stopImmediatePropagation(), { capture: true });
      opened.close();
      origin?.focus();
    };
  }, []);
  return dialog;
}

/** Closes a dialog when its backdrop is clicked: a click on its content has another target. */
export function closeOutside({ target, currentTarget }) {
  if (target === currentTarget) currentTarget.close();
}

// A dialog over the page: the browser's own, which keeps the focus in and gives it back.
//
// The browser says that it was closed with the next picture that it draws, and somebody may have opened it again by then: what it
// says counts only while the dialog is closed. For the same reason whoever opens it does so with a signal that tells every opening
// (`openable`): by the signal it may still be open.

import { type Accessor, type JSX, createEffect, createSignal } from "solid-js";

/** Whether a dialog is to be open; opening one that is says so again. */
export function openable(): [Accessor<boolean>, (open: boolean) => void] {
  const [open, setOpen] = createSignal(false, { equals: false });
  return [open, (to) => void setOpen(to)];
}

export function Dialog(props: { readonly label: string; readonly open: boolean; readonly close: () => void; readonly class: string; readonly children: JSX.Element }): JSX.Element {
  let dialog!: HTMLDialogElement;
  createEffect(() => {
    if (props.open && !dialog.open) dialog.showModal();
    if (!props.open && dialog.open) dialog.close();
  });
  return (
    <dialog ref={dialog} class={props.class} aria-label={props.label} onClose={() => !dialog.open && props.close()} onClick={(event) => event.target === dialog && dialog.close()}>
      <div class="inside">{props.children}</div>
    </dialog>
  );
}

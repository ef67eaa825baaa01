// A dialog over the page: the browser's own, which keeps the focus in and gives it back.

import { type JSX, createEffect } from "solid-js";

export function Dialog(props: { readonly label: string; readonly open: boolean; readonly close: () => void; readonly class: string; readonly children: JSX.Element }): JSX.Element {
  let dialog!: HTMLDialogElement;
  createEffect(() => {
    if (props.open && !dialog.open) dialog.showModal();
    if (!props.open && dialog.open) dialog.close();
  });
  return (
    <dialog ref={dialog} class={props.class} aria-label={props.label} onClose={() => props.close()} onClick={(event) => event.target === dialog && dialog.close()}>
      <div class="inside">{props.children}</div>
    </dialog>
  );
}

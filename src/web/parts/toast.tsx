// The one line that says what a person has done just now, at the lower edge of each page.

import type { Toast } from "../done.ts";
import { Act } from "./act.tsx";

/** `back`: the page that it stands on. It is there without a toast too, so that a screen reader tells what comes. */
export const ToastPlace = ({ toast, back }: { readonly toast: Toast | null; readonly back: string }) => (
  <div id="toast" role="status">
    {toast === null ? null : (
      <div class="toast">
        <span>{toast.says}</span>
        {toast.undo === null ? null : (
          <Act to={toast.undo.to} back={back} fields={toast.undo.fields}>
            Undo
          </Act>
        )}
        <button type="button" class="button is-plain" data-closes>
          Close
        </button>
      </div>
    )}
  </div>
);

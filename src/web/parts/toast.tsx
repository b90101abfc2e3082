// Draws the one line that says what a person has just done, at the lower edge of each page.

import type { Toast } from "../done.ts";
import { Act } from "./act.tsx";

/**
 * The place for the line. `back` is the address of the page. The place is there without a toast, too, so that a screen
 * reader announces a toast that comes.
 */
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

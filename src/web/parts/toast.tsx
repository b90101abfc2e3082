// Draws the toast: the line at the lower edge of each page that says what a person has just done, with a button that
// takes it back.

import type { Toast } from "../acts/done.ts";
import { Act } from "./act.tsx";

/**
 * The element for the toast. `back` is the address of the page, which is shown again after "Undo". The element is drawn
 * even without a toast, because only then does a screen reader announce a later toast.
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

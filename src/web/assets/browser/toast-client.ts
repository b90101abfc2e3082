// Shows the toast, which says what was just done. The server draws it; this script puts it onto a page that stays open.

import { headline, moveFocusTo } from "./focus.ts";

const place = document.querySelector<HTMLElement>("#toast");

/**
 * The element that had the focus before the focus went into the toast. It gets the focus back when the toast closes.
 */
let from: HTMLElement | null = null;

document.addEventListener("focusin", ({ target, relatedTarget }) => {
  const isFromOutside = relatedTarget instanceof HTMLElement && relatedTarget.closest("#toast") === null;
  if (isFromOutside && target instanceof Element && target.closest("#toast") !== null) from = relatedTarget;
});

export function showToastOf(page: Document): void {
  put([...(page.querySelector("#toast")?.childNodes ?? [])].map((node) => document.importNode(node, true)));
}

/** Shows a toast with these words. `undo` is called by its button; `null` for a toast that can only be closed. */
export function toast(words: string, undo: (() => void) | null): void {
  const line = document.createElement("div");
  line.className = "toast";
  const said = document.createElement("span");
  said.textContent = words;
  line.append(said, undo === null ? button("Close", closeToast) : button("Undo", undo));
  put([line]);
}

export const closeToast = (): void => put([]);

function put(nodes: Node[]): void {
  if (place === null) return;
  const hadFocus = place.contains(document.activeElement);
  place.replaceChildren(...nodes);
  if (hadFocus) moveFocusTo(from?.isConnected && from.checkVisibility() ? from : headline());
}

function button(words: string, does: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", className: "button is-plain", textContent: words });
  made.addEventListener("click", does);
  return made;
}

document.addEventListener("click", ({ target }) => {
  if (target instanceof Element && target.closest("#toast [data-closes]") !== null) closeToast();
});

/** Presses "Undo" in the toast for a person who uses the key `u`. The focus stays where it is. */
export const undoByKey = (): void => place?.querySelector<HTMLElement>(".button:not([data-closes])")?.click();

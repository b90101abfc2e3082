// Shows the one line that says what was just done. The server draws it; this file puts it onto a page that stays open.

import { headline, land } from "./focus.ts";

const place = document.querySelector<HTMLElement>("#toast");

/** The element that had the focus before it went into the line; the focus goes back there. */
let from: HTMLElement | null = null;

document.addEventListener("focusin", ({ target, relatedTarget }) => {
  const isFromOutside = relatedTarget instanceof HTMLElement && relatedTarget.closest("#toast") === null;
  if (isFromOutside && target instanceof Element && target.closest("#toast") !== null) from = relatedTarget;
});

/** Shows the line of the given page, or none if it has none. */
export function showToastOf(page: Document): void {
  put([...(page.querySelector("#toast")?.childNodes ?? [])].map((node) => document.importNode(node, true)));
}

/** Shows a line with these words. `undo` is what the line's button does; `null` for a line without a button. */
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
  if (hadFocus) land(from?.isConnected && from.checkVisibility() ? from : headline());
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

/** Presses the line's button by a key, so that the focus stays: the line is the last element of the page. */
export const undoByKey = (): void => place?.querySelector<HTMLElement>(".button:not([data-closes])")?.click();

// The one line that says what was done just now. The server draws it; here it comes onto a page that stays.

import { headline, land } from "./focus.ts";

const place = document.querySelector<HTMLElement>("#toast");

/** Where the focus was before it went into the line, which goes back there. */
let from: HTMLElement | null = null;

document.addEventListener("focusin", ({ target, relatedTarget }) => {
  const isFromOutside = relatedTarget instanceof HTMLElement && relatedTarget.closest("#toast") === null;
  if (isFromOutside && target instanceof Element && target.closest("#toast") !== null) from = relatedTarget;
});

/** As it stands on this page, or nothing. */
export function showToastOf(page: Document): void {
  put([...(page.querySelector("#toast")?.childNodes ?? [])].map((node) => document.importNode(node, true)));
}

/** `undo`: what its button does; null: it has none. */
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

/** From the keyboard, where the focus stays: the line stands behind all else on the page. */
export const undoByKey = (): void => place?.querySelector<HTMLElement>(".button:not([data-closes])")?.click();

// Remembers an action that was not done because the person was signed out. The sign-in page tells it, and so does the
// page to which the person then comes back. The action is never repeated by itself, because things may have changed
// meanwhile. Only the browser remembers it: the server may tell a job's name to no one who is signed out.

import { headline, rowOf } from "./focus.ts";
import { toast } from "./toast-client.ts";

const KEPT = "rollcall-undone";

/** The words of a button and of what it acts on: `Acknowledge` and `Nightly backup`. */
export type AskedAct = Readonly<{ button: string; of: string }>;

type Undone = AskedAct & Readonly<{ is: "surely" | "unless signed in" }>;

export const keepUndone = (asked: AskedAct, is: Undone["is"]): void =>
  sessionStorage.setItem(KEPT, JSON.stringify({ ...asked, is } satisfies Undone));

export function signedOut(asked: AskedAct): void {
  keepUndone(asked, "surely");
  location.assign(`/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`);
}

export function askedBy(form: HTMLFormElement, submitter: HTMLElement | null): AskedAct {
  const { name } = document.querySelector<HTMLElement>("[data-name]")?.dataset ?? {};
  const named = rowOf(form)?.querySelector("[data-row], a[href]") ?? headline();
  return {
    button: elementWords(submitter),
    of: rowOf(form) === null && name !== undefined ? name : elementWords(named),
  };
}

export const elementWords = (element: Element | null): string =>
  (element?.textContent ?? "").trim().replaceAll(/\s+/g, " ");

function say(): void {
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null") as Undone | null;
  if (kept === null) return;
  const door = document.querySelector<HTMLElement>("#undone");
  if (door !== null) {
    door.textContent = `You were signed out, so “${kept.button}” was not done: ${kept.of}.`;
    door.hidden = false;
    return keepUndone(kept, "surely");
  }
  if (document.querySelector("#toast") === null) return;
  sessionStorage.removeItem(KEPT);
  if (kept.is === "surely") toast(`“${kept.button}” was not done, because you were signed out: ${kept.of}.`, null);
}

say();

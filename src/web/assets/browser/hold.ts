// Holds an action on many jobs back for ten seconds, so that the person can cancel it. When the person leaves the page,
// the action is sent at once.

import { closeToast, toast } from "./toast-client.ts";
import { type AskedAct, keepUndone } from "./undone.ts";

const UNDO = 10_000;

interface HeldAct {
  readonly asked: AskedAct;
  readonly url: string;
  readonly body: URLSearchParams;
}

let waiting: (HeldAct & { readonly timer: number; readonly act: () => void }) | null = null;

export function hold(held: HeldAct, act: () => void): void {
  doNow();
  waiting = { ...held, act, timer: window.setTimeout(doNow, UNDO) };
  toast(`${held.asked.button}: ${held.asked.of}, in ten seconds.`, callOff);
}

function callOff() {
  const before = waiting;
  waiting = null;
  if (before === null) return null;
  clearTimeout(before.timer);
  closeToast();
  return before;
}

function doNow(): void {
  callOff()?.act();
}

addEventListener("pagehide", () => {
  const held = callOff();
  if (held === null) return;
  // No script gets the response to this request. The next page finds out whether the person was still signed in.
  keepUndone(held.asked, "unless signed in");
  navigator.sendBeacon(held.url, held.body);
});

document.addEventListener("rollcall:signed-out", () => {
  const held = callOff();
  if (held !== null) keepUndone(held.asked, "surely");
});

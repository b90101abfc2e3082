// What is done to many waits ten seconds, in which it can be called off; it is done as well when the page is left.

import { closeToast, toast } from "./toast.ts";
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
  // No one hears what it is answered, and the page that follows knows whether its person was signed in.
  keepUndone(held.asked, "unless signed in");
  navigator.sendBeacon(held.url, held.body);
});

document.addEventListener("rollcall:signed-out", () => {
  const held = callOff();
  if (held !== null) keepUndone(held.asked, "surely");
});

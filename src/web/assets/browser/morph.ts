// Makes an element like a newer one and keeps what a person does with it: the focus, what is open, written and chosen.

import { Idiomorph } from "idiomorph";

/** What a person changes by themselves: a menu, a story, a tip, a selection. */
const THEIRS = new Set(["checked", "open", "style"]);

const CONFIG = {
  ignoreActiveValue: true,
  callbacks: { beforeAttributeUpdated: (name: string): boolean => !THEIRS.has(name) },
};

const focused = (): Element | null => (document.activeElement === document.body ? null : document.activeElement);

export function morph(old: Element, fresh: Element): void {
  const active = focused();
  const near = active === null || !old.contains(active) ? null : placeOf(active);
  void Idiomorph.morph(old, fresh, CONFIG);
  if (active === null || focused() === active) return;
  if (active.isConnected) (active as HTMLElement).focus({ preventScroll: true });
  else if (near !== null) nearest(near)?.focus({ preventScroll: true });
}

// Where the focus goes whose element is gone: to what now has its place in what stood around it.

const FOCUSABLE = "a[href], button, input:not([type=hidden]), select, summary, textarea";

type FocusPlace = Readonly<{ ids: readonly string[]; place: number }>;

function placeOf(active: Element): FocusPlace {
  const ids: string[] = [];
  for (let at = active.parentElement; at !== null; at = at.parentElement) if (at.id !== "") ids.push(at.id);
  const around = active.closest(".acts") ?? active.parentElement!;
  return { ids, place: [...around.querySelectorAll(FOCUSABLE)].indexOf(active) };
}

function nearest({ ids, place }: FocusPlace): HTMLElement | null {
  for (const id of ids) {
    const around = document.getElementById(id);
    if (around === null) continue;
    const all = (around.querySelector(".acts") ?? around).querySelectorAll<HTMLElement>(FOCUSABLE);
    const found = [...all].filter((one) => one.checkVisibility())[Math.max(0, place)] ?? all[0];
    if (found !== undefined) return found;
  }
  return null;
}

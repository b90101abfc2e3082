// Makes an element like a newer one and keeps what a person does with it: the focus, what is open, written and chosen.

import { Idiomorph } from "idiomorph";
import { keepFocus } from "./focus.ts";

/** What a person changes by themselves: a menu, a story, a tip, a selection, where the focus was given. */
const THEIRS = new Set(["checked", "open", "style", "tabindex"]);

const callbacks = { beforeAttributeUpdated: (name: string): boolean => !THEIRS.has(name) };

/** Only of a field: a button would keep its words when it becomes one that does something else. */
const isWritten = (): boolean => document.activeElement?.matches("input, textarea, select") ?? false;

export function morph(old: Element, fresh: Element): void {
  keepFocus(() => void Idiomorph.morph(old, fresh, { ignoreActiveValue: isWritten(), callbacks }));
}

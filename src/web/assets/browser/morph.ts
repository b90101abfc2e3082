// Makes an element equal to a newer one and keeps what a person does with it: the focus, open menus, typed text and
// choices.

import { Idiomorph } from "idiomorph";
import { keepFocus } from "./focus.ts";

/** The attributes that a person changes: whether a menu, story or tip is open, a selection, the focus. */
const THEIRS = new Set(["checked", "open", "style", "tabindex"]);

const callbacks = { beforeAttributeUpdated: (name: string): boolean => !THEIRS.has(name) };

/**
 * Whether a person has typed here. The value is kept only in a field: a button would keep its words when it becomes a
 * button for another action.
 */
const isWritten = (): boolean => document.activeElement?.matches("input, textarea, select") ?? false;

export function morph(old: Element, fresh: Element): void {
  keepFocus(() => void Idiomorph.morph(old, fresh, { ignoreActiveValue: isWritten(), callbacks }));
}

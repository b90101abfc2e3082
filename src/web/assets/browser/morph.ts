// Turns an element of the page into a newer one, and keeps what a person does there: the focus, open menus, typed text
// and choices.

import { Idiomorph } from "idiomorph";
import { keepFocus } from "./focus.ts";

/**
 * The attributes that a person changes, which are kept: whether a box is ticked, whether a menu is open, where a tip
 * is, and where the tab key stops.
 */
const THEIRS = new Set(["checked", "open", "style", "tabindex"]);

const callbacks = { beforeAttributeUpdated: (name: string): boolean => !THEIRS.has(name) };

/**
 * Whether the focus is in a field, whose text must then be kept. A button with the focus must not keep its text,
 * because it may become the button for another action.
 */
const isWritten = (): boolean => document.activeElement?.matches("input, textarea, select") ?? false;

export function morph(old: Element, fresh: Element): void {
  keepFocus(() => void Idiomorph.morph(old, fresh, { ignoreActiveValue: isWritten(), callbacks }));
}

// Moves the focus when the element that had it is gone or has another meaning now: to the element that took its place,
// and scrolls it into view.

/** The id of a card or row: one of many alike, with a number at its end. */
const ROW_ID = /^(.*-)\d+$/;

/** The surroundings of the focus before the page changed. */
interface Focused {
  readonly element: HTMLElement;
  readonly meaning: string;
  /** The id of the element's row; `null` when it is in none. */
  readonly row: string | null;
  /** The ids of all rows of the same kind, from top to bottom. */
  readonly rows: readonly string[];
}

/** Changes the page, and restores the focus. */
export function keepFocus(change: () => void): void {
  const before = focused();
  change();
  if (before !== null) giveBack(before);
}

/**
 * Gives the focus back. It never goes to a button by itself: the button that is there now may act on another incident,
 * and a second Enter must not do so unnoticed. It goes to the link of the row, where Enter opens what the person then
 * sees.
 */
function giveBack({ element, meaning, row, rows }: Focused): void {
  if (element.isConnected && element.checkVisibility() && meaningOf(element) === meaning) {
    if (document.activeElement !== element) element.focus({ preventScroll: true });
    return;
  }
  const next = row === null ? null : placeAfter(row, rows, rowsLike(row));
  const place = next === null ? null : document.getElementById(next);
  land(place?.querySelector<HTMLElement>("[data-row], a[href]") ?? place ?? headline());
}

/** The element with the focus and its surroundings; `null` when no element has it. */
function focused(): Focused | null {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body) return null;
  const row = rowOf(element)?.id ?? null;
  return { element, meaning: meaningOf(element), row, rows: row === null ? [] : rowsLike(row) };
}

/** Gives an element the focus, and scrolls no further than needed to show it. */
export function land(place: HTMLElement | null): void {
  if (place === null) return;
  if (place.tabIndex < 0) place.tabIndex = -1;
  place.focus({ preventScroll: true });
  place.scrollIntoView({ block: "nearest" });
}

export const headline = (): HTMLElement | null => document.querySelector("main h1");

export const rowOf = (element: Element): Element | null => {
  for (let at: Element | null = element; at !== null; at = at.parentElement) if (ROW_ID.test(at.id)) return at;
  return null;
};

function rowsLike(id: string): string[] {
  const [, kind] = ROW_ID.exec(id)!;
  return [...document.querySelectorAll(`[id^="${CSS.escape(kind!)}"]`)]
    .filter((one) => ROW_ID.exec(one.id)?.[1] === kind && one.checkVisibility())
    .map((one) => one.id);
}

/**
 * Returns the row itself if it has stayed, else the row behind it, else the row before it; `null` when none of these is
 * left.
 */
function placeAfter(row: string, before: readonly string[], now: readonly string[]): string | null {
  const place = before.indexOf(row);
  const behind = before.slice(place + 1).find((one) => now.includes(one));
  const stays = now.includes(row) && (behind === undefined || now.indexOf(row) < now.indexOf(behind));
  if (stays) return row;
  return behind ?? before.slice(0, place).findLast((one) => now.includes(one)) ?? null;
}

/**
 * A text that says what a button does or, for any other element, in which row it is. The text is compared because a
 * morph may turn one element of a page into another.
 */
function meaningOf(element: HTMLElement): string {
  const row = rowOf(element)?.id ?? "";
  if (element instanceof HTMLButtonElement && element.form !== null) {
    const { form, name, value } = element;
    const hidden = [...form.querySelectorAll<HTMLInputElement>("input[type=hidden]")].map((field) => field.value);
    return [row, form.getAttribute("action"), name, value, ...hidden].join("\n");
  }
  return element instanceof HTMLButtonElement || element.tagName === "SUMMARY" ? `${row}\n${element.textContent}` : row;
}

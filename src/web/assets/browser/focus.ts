// Keeps the focus when a page changes. If the element with the focus is gone, or means something else now, the element
// in its place gets the focus and is scrolled into view.

/** The id of a card or row: its kind, and a number at the end. For example `need-17`. */
const ROW_ID = /^(.*-)\d+$/;

/** The element that had the focus before the page changed, and where it was. */
interface Focused {
  readonly element: HTMLElement;
  readonly meaning: string;
  /** The id of the element's row; `null` when it is in none. */
  readonly row: string | null;
  /** The ids of all rows of the same kind, from top to bottom. */
  readonly rows: readonly string[];
}

export function keepFocus(change: () => void): void {
  const before = focused();
  change();
  if (before !== null) giveBack(before);
}

/**
 * Gives the focus back. When its element is gone, the focus never goes to a button: a second press of Enter would act
 * unnoticed on another incident. It goes to the link of the row, where Enter opens what the person then sees.
 */
function giveBack({ element, meaning, row, rows }: Focused): void {
  if (element.isConnected && element.checkVisibility() && meaningOf(element) === meaning) {
    if (document.activeElement !== element) element.focus({ preventScroll: true });
    return;
  }
  const next = row === null ? null : placeAfter(row, rows, rowsLike(row));
  const place = next === null ? null : document.getElementById(next);
  moveFocusTo(place?.querySelector<HTMLElement>("[data-row], a[href]") ?? place ?? headline());
}

function focused(): Focused | null {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body) return null;
  const row = rowOf(element)?.id ?? null;
  return { element, meaning: meaningOf(element), row, rows: row === null ? [] : rowsLike(row) };
}

export function moveFocusTo(place: HTMLElement | null): void {
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
 * Returns the row that gets the focus after an update of the page. `before` and `now` are the ids of the rows before
 * and after the update. `row` keeps the focus if it has not moved below the row that came next. Otherwise the next row
 * below gets the focus that is still there, or else the nearest row above. Returns `null` when no row is left.
 */
function placeAfter(row: string, before: readonly string[], now: readonly string[]): string | null {
  const place = before.indexOf(row);
  const behind = before.slice(place + 1).find((one) => now.includes(one));
  const stays = now.includes(row) && (behind === undefined || now.indexOf(row) < now.indexOf(behind));
  if (stays) return row;
  return behind ?? before.slice(0, place).findLast((one) => now.includes(one)) ?? null;
}

/**
 * A text that says what a button does or, for any other element, in which row the element is. An update of the page may
 * turn an element into another one; then the text differs.
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

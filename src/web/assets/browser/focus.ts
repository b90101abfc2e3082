// Where the focus goes when what had it is gone or does something else now: to what took its place, and in sight.

/** The id of a card or row: one of many things that are alike. */
const ROW_ID = /^(.*-)\d+$/;

/** What stood around the focus before the page changed. */
interface Focused {
  readonly element: HTMLElement;
  readonly meaning: string;
  /** The id of its row; null: it is in none. */
  readonly row: string | null;
  /** The ids of all rows like it, from top to bottom. */
  readonly rows: readonly string[];
}

/** Changes the page, and gives the focus back. */
export function keepFocus(change: () => void): void {
  const before = focused();
  change();
  if (before !== null) giveBack(before);
}

/**
 * The focus never goes to a button by itself: what stands there now may act on another incident, and a second Enter
 * must not do so unseen. It goes to the link of the row, where Enter opens what the person then sees.
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

/** Null: nothing has it. */
function focused(): Focused | null {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body) return null;
  const row = rowOf(element)?.id ?? null;
  return { element, meaning: meaningOf(element), row, rows: row === null ? [] : rowsLike(row) };
}

/** Gives it the focus and scrolls no further than until it is in sight. */
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

/** The row itself where it has stayed, else the one behind it, else the one before it; null: none is left. */
function placeAfter(row: string, before: readonly string[], now: readonly string[]): string | null {
  const place = before.indexOf(row);
  const behind = before.slice(place + 1).find((one) => now.includes(one));
  const stays = now.includes(row) && (behind === undefined || now.indexOf(row) < now.indexOf(behind));
  if (stays) return row;
  return behind ?? before.slice(0, place).findLast((one) => now.includes(one)) ?? null;
}

/** Of a button, what it does; of all else, of which row it is: a morph may make one element of a page another. */
function meaningOf(element: HTMLElement): string {
  const row = rowOf(element)?.id ?? "";
  if (element instanceof HTMLButtonElement && element.form !== null) {
    const { form, name, value } = element;
    const hidden = [...form.querySelectorAll<HTMLInputElement>("input[type=hidden]")].map((field) => field.value);
    return [row, form.getAttribute("action"), name, value, ...hidden].join("\n");
  }
  return element instanceof HTMLButtonElement || element.tagName === "SUMMARY" ? `${row}\n${element.textContent}` : row;
}

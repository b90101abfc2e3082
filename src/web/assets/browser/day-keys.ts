// Drives the day page while it is open. The line of now moves with the clock, and at first the page is scrolled to it.
// The pointer on a row, or an arrow key, shows the story of a slot. Dragging the mouse across the rows, or the key `+`,
// zooms. The page also tells all of this in words.

const figureOf = (): HTMLElement | null => document.querySelector("#day-figure");
const numberOf = (figure: HTMLElement, name: string): number => Number(figure.dataset[name]);

function moveNow(): void {
  const figure = figureOf();
  if (figure === null) return;
  const [from, to] = [numberOf(figure, "from"), numberOf(figure, "to")];
  const share = Math.min(1, (Date.now() - from) / (to - from));
  const place = `${Math.round(share * 10_000) / 100}%`;
  for (const mark of figure.querySelectorAll("[data-now]"))
    for (const name of mark.tagName === "line" ? ["x1", "x2"] : ["x"])
      if (mark.getAttribute(name) !== place) mark.setAttribute(name, place);
}

/**
 * Scrolls the figure sideways to now. On a phone the figure is wider than the window, and the time around now matters
 * most.
 */
function scrollToNow(): void {
  const scroll = document.querySelector("#day-scroll");
  const now = scroll?.querySelector(".day-now");
  if (scroll == null || now == null || scroll.scrollWidth <= scroll.clientWidth) return;
  const { left, width } = scroll.getBoundingClientRect();
  scroll.scrollLeft += now.getBoundingClientRect().left - left - width * 0.7;
}

// Shows the line of words about a slot in a tip below the row.

const linesOf = (row: Element): HTMLElement[] => [...row.querySelectorAll<HTMLElement>("[data-x]")];

/** Where a line of words begins and ends, in thousandths of the row's width. */
const placeOf = (line: HTMLElement): readonly number[] => (line.dataset["x"] ?? "").split(" ").map(Number);

/**
 * The line of words that is nearest to the position `place`; `null` when none is less than `within` away. Positions and
 * distances are in thousandths of the row's width.
 */
function nearest(lines: readonly HTMLElement[], place: number, within = 40): HTMLElement | null {
  let [found, least] = [null as HTMLElement | null, within];
  for (const line of lines) {
    const [from = 0, to = 0] = placeOf(line);
    const distance = place < from ? from - place : Math.max(0, place - to);
    if (distance < least) [found, least] = [line, distance];
  }
  return found;
}

const plotOf = (row: Element): Element => row.querySelector(".day-row-plot")!;
const tipOf = (): HTMLElement | null => document.querySelector("#day-tip");

/**
 * Shows a line of words in the tip of a row; `null` hides the tip. `place` is the position of the tip, in thousandths
 * of the row's width.
 */
function tell(row: Element, line: HTMLElement | null, place: number): void {
  const tip = tipOf();
  if (tip === null) return;
  tip.hidden = line === null;
  if (line === null) return;
  tip.textContent = line.textContent;
  const figure = tip.parentElement!.getBoundingClientRect();
  const { left, width, bottom } = plotOf(row).getBoundingClientRect();
  const middle = left - figure.left + (width * place) / 1_000 - tip.offsetWidth / 2;
  tip.style.left = `${Math.max(0, Math.min(figure.width - tip.offsetWidth, middle))}px`;
  tip.style.top = `${bottom - figure.top + 2}px`;
}

const rowAt = (target: EventTarget | null, within = ".day-row"): Element | null =>
  target instanceof Element ? (target.closest(within)?.closest(".day-row") ?? null) : null;

function point({ target, clientX }: PointerEvent): void {
  const row = rowAt(target, ".day-row-plot");
  const tip = tipOf();
  if (row === null) {
    if (tip !== null) tip.hidden = true;
    return;
  }
  const { left, width } = plotOf(row).getBoundingClientRect();
  const place = ((clientX - left) / width) * 1_000;
  tell(row, nearest(linesOf(row), place), place);
}

// Zooms to the span across which the mouse is dragged, or by keys into an hour and out of it.

const HOUR = 3_600_000;
/** How many pixels the mouse must be dragged for a zoom; a click moves it less. */
const DRAG_MIN = 8;
/** A zoom begins and ends at a multiple of this many milliseconds. */
const STEP = HOUR / 12;

let draggedFrom: number | null = null;

function zoomTo(from: number, to: number): void {
  const url = new URL(location.href);
  url.searchParams.set("span", "hour");
  url.searchParams.set("from", new Date(Math.floor(from / STEP) * STEP).toISOString());
  url.searchParams.set("until", new Date(Math.ceil(to / STEP) * STEP).toISOString());
  location.assign(url);
}

function zoomOut(figure: HTMLElement): void {
  const url = new URL(location.href);
  const day = numberOf(figure, "to") + 12 * HOUR;
  for (const name of ["span", "from", "until"]) url.searchParams.delete(name);
  if (day < Date.now()) url.searchParams.set("until", new Date(day).toISOString());
  location.assign(url);
}

/** The dragged span, as two instants in milliseconds; `null` while it is too short for a zoom. */
function draggedSpan(figure: HTMLElement, clientX: number): readonly [number, number] | null {
  if (draggedFrom === null || Math.abs(clientX - draggedFrom) < DRAG_MIN) return null;
  const { left, width } = figure.querySelector(".day-axis")!.getBoundingClientRect();
  const [from, to] = [numberOf(figure, "from"), numberOf(figure, "to")];
  const at = (x: number): number => from + Math.max(0, Math.min(1, (x - left) / width)) * (to - from);
  return [at(Math.min(draggedFrom, clientX)), at(Math.max(draggedFrom, clientX))];
}

function zoomBox(figure: HTMLElement): HTMLElement {
  const box = figure.querySelector<HTMLElement>(".day-zoom") ?? document.createElement("div");
  box.className = "day-zoom";
  figure.append(box);
  return box;
}

document.addEventListener("pointerdown", (event) => {
  const isOnFigure = event.target instanceof Element && event.target.closest(".day-row-plot, .day-axis") !== null;
  draggedFrom = isOnFigure && event.pointerType === "mouse" && event.button === 0 ? event.clientX : null;
  point(event);
});

document.addEventListener("pointermove", (event) => {
  const figure = figureOf();
  if (figure === null) return;
  if (draggedSpan(figure, event.clientX) === null) return point(event);
  const box = zoomBox(figure);
  box.style.left = `${Math.min(draggedFrom!, event.clientX) - figure.getBoundingClientRect().left}px`;
  box.style.width = `${Math.abs(event.clientX - draggedFrom!)}px`;
});

document.addEventListener("pointerup", ({ clientX }) => {
  const figure = figureOf();
  const span = figure === null ? null : draggedSpan(figure, clientX);
  draggedFrom = null;
  figure?.querySelector(".day-zoom")?.remove();
  if (span !== null) zoomTo(...span);
});

// Handles the keys of the day page. Arrow keys move from slot to slot in a row, and to the same time in the row above
// or below; `+` and `-` zoom.

/**
 * The position that the arrow keys have reached, in thousandths of the row's width; `null` before the first key, which
 * begins at now.
 */
let reached: number | null = null;

function stepTo(row: Element, key: string): void {
  const lines = linesOf(row);
  const before = nearest(lines, reached ?? shareOfNow(), Number.POSITIVE_INFINITY);
  const by = reached === null ? 0 : key === "ArrowLeft" ? -1 : key === "ArrowRight" ? 1 : 0;
  const line = before === null ? null : (lines[lines.indexOf(before) + by] ?? before);
  if (line !== null && (by !== 0 || reached === null)) reached = (placeOf(line)[0]! + placeOf(line)[1]!) / 2;
  tell(row, line, line === null ? 0 : placeOf(line)[0]!);
}

function shareOfNow(): number {
  const figure = figureOf()!;
  const from = numberOf(figure, "from");
  return ((Date.now() - from) / (numberOf(figure, "to") - from)) * 1_000;
}

document.addEventListener("keydown", (event) => {
  const figure = figureOf();
  const { key, target } = event;
  if (figure === null || event.ctrlKey || event.metaKey || event.altKey || target instanceof HTMLInputElement) return;
  const row = rowAt(target);
  if (key === "-" && figure.dataset["span"] === "hour") zoomOut(figure);
  else if (key === "+" || key === "=") {
    const [from, to] = [numberOf(figure, "from"), numberOf(figure, "to")];
    const at = from + ((reached ?? shareOfNow()) / 1_000) * (to - from);
    zoomTo(at - HOUR / 2, at + HOUR / 2);
  } else if (key === "Escape") {
    draggedFrom = null;
    figure.querySelector(".day-zoom")?.remove();
    tipOf()!.hidden = true;
  } else if (row !== null && (key === "ArrowLeft" || key === "ArrowRight")) stepTo(row, key);
  else if (row !== null && (key === "ArrowUp" || key === "ArrowDown")) {
    const next = key === "ArrowUp" ? row.previousElementSibling : row.nextElementSibling;
    next?.querySelector<HTMLElement>("[data-row]")?.focus();
    if (next !== null && reached !== null) stepTo(next, key);
  } else return;
  event.preventDefault();
});

moveNow();
scrollToNow();
setInterval(moveNow, 10_000);
document.addEventListener("rollcall:shown", moveNow);

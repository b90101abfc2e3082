// Begins the script of all pages, which keeps pages current and adds small helpers. Every page and action works without
// script, except passkeys and notifications.

import "./day-keys.ts";
import "./menus.ts";
import "./passkey-buttons.ts";
import "./act-in-place.ts";
import { CHANGING_TIMES, dayAndTime } from "../../../domain/wording/short-time.ts";
import { isSilent, watch } from "./live-client.ts";
import { openPalette } from "./palette.ts";
import { follow } from "./tab.ts";
import { undoByKey } from "./toast-client.ts";

// Tells the server by a cookie in which zone this browser shows times. The server uses the zone from the next page on.

const zone = encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone);
if (!document.cookie.includes(`rollcall-zone=${zone}`))
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is not in every browser.
  document.cookie = `rollcall-zone=${zone}; Path=/; Max-Age=31536000; SameSite=Lax`;

document.addEventListener("click", ({ target }) => {
  const opener = target instanceof Element ? target.closest<HTMLElement>("[data-opens]") : null;
  const dialog = opener === null ? null : document.getElementById(opener.dataset["opens"] ?? "");
  if (dialog instanceof HTMLDialogElement) dialog.showModal();
});

// Copies a line when a person presses its button, where the browser allows that.

const hasClipboard = window.isSecureContext && "clipboard" in navigator;

document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>("[data-copies]") : null;
  const text = button?.parentElement?.querySelector("code")?.textContent;
  if (button === null || text === undefined || text === null) return;
  await navigator.clipboard.writeText(text);
  button.textContent = "Copied";
});

// Handles the keys: `/` searches, `j` and `k` go from job to job, `u` takes the last action back, `?` shows all keys.
// Keys do nothing while a person types.

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const place = rows.indexOf(document.activeElement as HTMLElement);
  const next = place === -1 ? (by === 1 ? 0 : rows.length - 1) : place + by;
  rows[next]?.focus();
  rows[next]?.scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.querySelector<HTMLInputElement>("input[type=search]");
  if (isWriting(target)) {
    if (key === "Escape" && target === search) search?.blur();
    return;
  }
  if (document.querySelector("dialog[open]") !== null) return;
  if (key === "/" && search !== null) search.select();
  else if (key === "/") openPalette();
  else if (key === "j") step(1);
  else if (key === "k") step(-1);
  else if (key === "u") undoByKey();
  else if (key === "?") document.querySelector<HTMLDialogElement>("#help")?.showModal();
  else return;
  event.preventDefault();
});

// Updates the times on the page as time passes, in the viewer's zone. The server sends a part of the page only when
// something else has changed.

/** Writes a time on the clocks of this browser as the server writes times: `2026-03-02 03:00:00`. */
const wallHere = (at: Date): string => at.toLocaleString("sv-SE");

/**
 * The exact time in the viewer's zone and in `timezone`: `2026-03-02 03:00:00 here; 2026-03-02 02:00:00 in
 * Europe/Berlin`. `there` is the time in `timezone` as the server wrote it, because a browser may have older zone
 * rules.
 */
function exactly(at: Date, timezone: string | undefined, there: string | undefined): string {
  const here = wallHere(at);
  if (timezone === undefined || there === undefined) return here;
  return there === here ? `${here}, ${timezone}` : `${here} here; ${there} in ${timezone}`;
}

/** The text for a time in the viewer's zone; `null` when the text that the server wrote stays. */
function textOf(as: string | undefined, at: Date, now: number): string | null {
  if (as === "exact") return wallHere(at);
  if (as === "when") return dayAndTime(at.getTime(), now, -at.getTimezoneOffset() * 60_000);
  return as !== undefined && isChanging(as) ? CHANGING_TIMES[as](at.getTime(), now) : null;
}

const isChanging = (as: string): as is keyof typeof CHANGING_TIMES => Object.hasOwn(CHANGING_TIMES, as);

function show(): void {
  const now = Date.now();
  for (const time of document.querySelectorAll<HTMLTimeElement>(isSilent() ? "#stale time" : "time[data-as]")) {
    const at = new Date(time.dateTime);
    const { as, zone, wall } = time.dataset;
    const here = textOf(as, at, now);
    const isElsewhere = as === "exact" && wall !== undefined && wall !== here;
    const text = isElsewhere ? `${here} (${wall.slice(11)} ${zone})` : here;
    if (text !== null && time.textContent !== text) time.textContent = text;
    const title = exactly(at, zone, wall);
    if (time.title !== title) time.title = title;
    if (as === "until") time.classList.toggle("is-past", at.getTime() < now);
  }
}

function moveRuns(): void {
  for (const bar of document.querySelectorAll<SVGElement>("[data-runs]")) {
    const [from = 0, to = 0] = bar.dataset["runs"]!.split(" ").map(Number);
    bar.setAttribute("width", `${Math.min(100, ((Date.now() - from) / (to - from)) * 100).toFixed(1)}%`);
  }
}

function tick(): void {
  if (!isSilent()) moveRuns();
  show();
  follow();
}

// Shows what a job is doing now, as the tip of its row, when the pointer is on the row.

document.addEventListener("pointerover", ({ target }) => {
  const row = target instanceof Element ? target.closest("li.row") : null;
  const name = row?.querySelector<HTMLElement>("[data-row]");
  const said = row?.querySelector("[data-said]")?.textContent;
  if (name instanceof HTMLElement && said !== undefined) name.title = `${name.textContent} ${said}`;
});

// Moves through the days of a job's calendar by arrow keys. The tab key stops at only one day of it, as in any grid.

function cells(table: HTMLTableElement): (HTMLAnchorElement | null)[][] {
  return [...table.tBodies[0]!.rows].map((row) => [...row.cells].slice(1).map((cell) => cell.querySelector("a")));
}

/** Lets the tab key stop at the day that has the focus, or otherwise at today. */
function settle(table: HTMLTableElement): void {
  const all = [...table.querySelectorAll<HTMLAnchorElement>("a.square-link")];
  const today = cells(table)
    .flatMap((row) => row.at(-1) ?? [])
    .at(-1);
  const reached = all.find((day) => day === document.activeElement) ?? today;
  for (const day of all) day.tabIndex = day === reached ? 0 : -1;
}

const STEPS: Readonly<Record<string, readonly [row: number, column: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

document.addEventListener("keydown", (event) => {
  const step = STEPS[event.key];
  const day = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a.square-link") : null;
  const table = day?.closest<HTMLTableElement>("[data-weeks]");
  if (step === undefined || day === null || table === null || table === undefined) return;
  event.preventDefault();
  const grid = cells(table);
  const row = grid.findIndex((days) => days.includes(day));
  const next = grid[row + step[0]]?.[grid[row]!.indexOf(day) + step[1]];
  if (next === null || next === undefined) return;
  next.focus();
  settle(table);
});

// Prepares the page once it has loaded, and again after each update: its times, its calendars and its buttons that
// copy.

const asOf = document.getElementById("as-of");
const loadedAt = wallHere(new Date()).slice(11, 16);

function arrange(): void {
  tick();
  if (asOf !== null) {
    asOf.hidden = document.getElementById("live") !== null;
    asOf.textContent = `as of ${loadedAt}`;
  }
  for (const table of document.querySelectorAll<HTMLTableElement>("[data-weeks]")) settle(table);
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copies]")) button.hidden = !hasClipboard;
}

arrange();
watch();
setInterval(tick, 1_000);
document.addEventListener("rollcall:shown", arrange);

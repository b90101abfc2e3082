// Sends forms, searches and choices without leaving the page, so that nothing on it jumps. Where no script runs, each
// of them loads a page.

import { keepFocus, moveFocusTo } from "./focus.ts";
import { hold } from "./hold.ts";
import { shown, watch } from "./live-client.ts";
import { morph } from "./morph.ts";
import { showToastOf } from "./toast-client.ts";
import { type AskedAct, askedBy, elementWords, signedOut } from "./undone.ts";

const WRITTEN = 150;

let currentVisit: AbortController | null = null;
let at = location.pathname + location.search;

interface Visit {
  readonly body?: URLSearchParams;
  readonly form?: HTMLFormElement;
  /**
   * The action that the person asked for. If the person was signed out, the sign-in page says that it was not done.
   * Absent when nothing would be changed.
   */
  readonly asked?: AskedAct;
  /** True when the browser's history must get a new entry. Otherwise it gets one only if the path changes. */
  readonly isNew?: boolean;
}

async function visit(url: string, { body, form, asked, isNew = false }: Visit = {}): Promise<void> {
  currentVisit?.abort();
  const own = new AbortController();
  currentVisit = own;
  try {
    const answer = await fetch(url, { signal: own.signal, ...(body === undefined ? {} : { method: "POST", body }) });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (own.signal.aborted) return;
    if (answer.status === 401 && asked !== undefined) return signedOut(asked);
    const again = form === undefined || form.id === "" ? null : page.getElementById(form.id);
    if (answer.ok) put(page, answer.url, isNew);
    else if (again !== null) tryAgain(form!, again);
    else refuse(page.querySelector("main .plain"));
  } catch {
    if (!own.signal.aborted) refuse(null);
  }
}

function put(page: Document, address: string, isNew: boolean): void {
  const isOther = new URL(address).pathname !== location.pathname;
  if (isNew || isOther) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  at = location.pathname + location.search;
  keepFocus(() => {
    for (const part of ["main", ".bar nav"]) {
      const [old, fresh] = [document.querySelector(part), page.querySelector(part)];
      if (old !== null && fresh !== null) morph(old, document.importNode(fresh, true));
    }
    for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")) menu.open = false;
  });
  showToastOf(page);
  watch();
  shown();
  if (isOther) scrollTo(0, 0);
}

function tryAgain(form: HTMLFormElement, again: HTMLElement): void {
  morph(form, document.importNode(again, true));
  const wrong = form.querySelector<HTMLElement>("[aria-invalid]");
  const folded = wrong?.closest<HTMLDetailsElement>("details");
  if (folded) folded.open = true;
  wrong?.focus();
}

let newest = 0;

async function preview(form: HTMLFormElement): Promise<void> {
  const own = ++newest;
  const answer = await fetch(`${form.action}?${fieldsOf(form, null)}`).catch(() => null);
  const page = new DOMParser().parseFromString((await answer?.text()) ?? "", "text/html");
  // A newer text was typed meanwhile, so this preview is out of date.
  if (own !== newest) return;
  for (const old of form.querySelectorAll("[data-follows]")) {
    const fresh = page.getElementById(old.id);
    if (fresh !== null) morph(old, document.importNode(fresh, true));
  }
}

/**
 * Fetches what the values in the form of an open menu would mean: when the menu opens, and after each update, because
 * an updated page comes without such previews.
 */
function previewOpen(): void {
  const form = document.querySelector<HTMLFormElement>("details.menu[open] form[data-preview]");
  if (form !== null) void preview(form);
}

document.addEventListener("toggle", previewOpen, true);
document.addEventListener("rollcall:shown", previewOpen);

/** Shows in a dialog why the action was refused. The page below it stays as it was. */
function refuse(why: Element | null): void {
  const dialog = document.querySelector<HTMLDialogElement>("#refused")!;
  const words = dialog.querySelector("div")!;
  if (why === null) words.textContent = "rollcall does not answer, so nothing may have changed. Try it again.";
  else words.replaceChildren(...document.importNode(why, true).childNodes);
  dialog.showModal();
}

const fieldsOf = (form: HTMLFormElement, submitter: HTMLElement | null): URLSearchParams =>
  new URLSearchParams([...new FormData(form, submitter)].map(([name, value]) => [name, String(value)]));

/**
 * Holds an action on many jobs back for ten seconds. The focus goes to the row that was selected last, because the bar
 * with the button closes.
 */
function holdBack(form: HTMLFormElement, submitter: HTMLElement | null): void {
  const body = fieldsOf(form, submitter);
  const chosen = body.getAll("job").length;
  const of = chosen > 0 ? `${chosen} ${chosen === 1 ? "job" : "jobs"}` : form.dataset["undo"]!;
  const asked = { button: elementWords(submitter), of };
  hold({ asked, url: form.action, body }, () => void visit(form.action, { body, asked }));
  for (const menu of form.querySelectorAll<HTMLDetailsElement>("details[open]")) menu.open = false;
  form.reset();
  if (chosen > 0) moveFocusTo(lastPick?.closest(".row")?.querySelector<HTMLElement>("[data-row]") ?? null);
}

function search(form: HTMLFormElement, isNew: boolean): void {
  const url = new URL(form.action);
  const isUsual = ([name, value]: readonly [string, string]): boolean => {
    const field = form.elements.namedItem(name);
    return value === "" || (field instanceof HTMLSelectElement && field.selectedIndex === 0);
  };
  url.search = String(new URLSearchParams([...fieldsOf(form, null)].filter((field) => !isUsual(field))));
  void visit(url.href, { isNew });
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || event.defaultPrevented) return;
  if (form.matches(".find")) search(form, true);
  else if (form.dataset["undo"] !== undefined) holdBack(form, event.submitter);
  else if (form.matches(".act, .edit, form.menu-body") && form.elements.namedItem("back") !== null)
    void visit(form.action, { body: fieldsOf(form, event.submitter), form, asked: askedBy(form, event.submitter) });
  else return;
  event.preventDefault();
});

// Selects rows of jobs. A click with Shift selects all rows from the one that was selected last; the key `x` selects
// the row with the focus.

let lastPick: HTMLInputElement | null = null;

const picks = (): HTMLInputElement[] => [...document.querySelectorAll<HTMLInputElement>(".pick input")];

function count(): void {
  const chosen = picks().filter(({ checked }) => checked).length;
  const words = document.querySelector("[data-chosen]");
  if (words !== null) words.textContent = `${chosen} selected`;
}

document.addEventListener("change", count);
document.addEventListener("rollcall:shown", count);

document.addEventListener("click", ({ target, shiftKey }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches(".pick input")) return;
  const all = picks();
  const [from, to] = [lastPick, target].map((pick) => (pick === null ? -1 : all.indexOf(pick))).sort((a, b) => a - b);
  if (shiftKey && from! >= 0) for (const pick of all.slice(from, to! + 1)) pick.checked = target.checked;
  lastPick = target;
  count();
});

document.addEventListener("keydown", ({ key, target, ctrlKey, metaKey }) => {
  const row = key === "x" && !ctrlKey && !metaKey && target instanceof Element ? target.closest(".row") : null;
  row?.querySelector<HTMLInputElement>(".pick input")?.click();
});

let written: ReturnType<typeof setTimeout> | undefined;

document.addEventListener("input", ({ target }) => {
  const form = target instanceof Element ? target.closest<HTMLFormElement>("form.find, form[data-preview]") : null;
  if (form === null) return;
  clearTimeout(written);
  const follow = () => (form.matches(".find") ? search(form, false) : void preview(form));
  written = setTimeout(follow, target instanceof HTMLInputElement ? WRITTEN : 0);
});

/** The key Enter in the search field of a form with a preview does not send the form. */
document.addEventListener("keydown", (event) => {
  const isFinding = event.target instanceof Element && event.target.matches("[data-preview] [type=search]");
  if (isFinding && event.key === "Enter") event.preventDefault();
});

document.addEventListener("click", (event) => {
  const chip = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a.chip") : null;
  if (chip === null || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  void visit(chip.href, { isNew: true });
});

addEventListener("popstate", () => {
  if (location.pathname + location.search !== at) void visit(location.href);
});

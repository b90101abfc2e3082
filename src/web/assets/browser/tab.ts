// Keeps the browser's tab current: its icon, and in its title how many jobs need attention. It also notifies people who
// want it.

import { isSilent } from "./live-client.ts";

const WANTED = "rollcall-notifies";

let icons: DOMStringMap | undefined;
let told: string | undefined;

export function follow(): void {
  const sign = document.getElementById("sign")?.dataset ?? {};
  const link = document.querySelector<HTMLLinkElement>("#icon");
  icons ??= link?.dataset;
  const tone = isSilent() ? "quiet" : sign["tone"];
  const icon = tone === undefined ? undefined : icons?.[tone];
  if (link !== null && icon !== undefined && link.getAttribute("href") !== icon) link.setAttribute("href", icon);
  const title = isSilent() ? `no answer · ${titleOf({})}` : titleOf(sign);
  if (document.title !== title) document.title = title;
  notify(sign);
}

/**
 * The title for this page: the sentence of its headline, with the number of jobs that need attention. The title of the
 * overview says how all jobs are.
 */
function titleOf(sign: DOMStringMap): string {
  const headline = document.querySelector<HTMLElement>("[data-title]");
  const { title = document.title.replace(/^\((?:\d+|!)\) |^no answer · /, ""), name } = headline?.dataset ?? {};
  if (headline?.dataset["all"] !== undefined) return sign["says"] === undefined ? title : `${sign["says"]} · rollcall`;
  const said = headline?.querySelector("[data-said]")?.textContent;
  const own = name === undefined || said === undefined ? title : `${name} ${said} · rollcall`;
  const needs = Number(sign["needs"] ?? 0) > 0 ? `(${sign["needs"]}) ` : sign["own"] === undefined ? "" : "(!) ";
  return /^\d/.test(own) ? own : `${needs}${own}`;
}

// Shows notifications while a page of rollcall is open in the background, if a person has asked this browser for them.

const isWanted = (): boolean =>
  "Notification" in window && Notification.permission === "granted" && localStorage.getItem(WANTED) === "yes";

/**
 * Shows a notification when the state of all jobs has changed and something needs attention. Each window shows it, but
 * equal notifications replace each other, so a person sees one.
 */
function notify({ says: title, needs, own, sentence }: DOMStringMap): void {
  const [before, now] = [told, title];
  told = now;
  if (Number(needs) === 0 && own === undefined) return;
  if (before === undefined || before === now || !document.hidden || !isWanted()) return;
  try {
    const shown = new Notification(`${title}`, { body: `${sentence}`, tag: `rollcall ${title}` });
    shown.addEventListener("click", () => window.focus());
  } catch {
    // Phones do not let a page show notifications.
  }
}

document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>("[data-notifies]") : null;
  if (button === null) return;
  const wants = !isWanted() && (await Notification.requestPermission()) === "granted";
  localStorage.setItem(WANTED, wants ? "yes" : "no");
  say();
});

function say(): void {
  const button = document.querySelector<HTMLButtonElement>("[data-notifies]");
  if (button === null) return;
  button.hidden = !("Notification" in window) || Notification.permission === "denied" || !window.isSecureContext;
  button.setAttribute("aria-pressed", String(isWanted()));
}

say();

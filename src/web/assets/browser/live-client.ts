// Keeps the page current while it is visible, and its title and icon also in the background. When the server is silent,
// the page says so.

import { createBrowserHub, type Told, type Watched } from "./hub.ts";
import { morph } from "./morph.ts";

/** After how many milliseconds of silence the page says so. The server sends something at least every ten seconds. */
const SILENT_MAX = 30_000;
/**
 * After how many milliseconds a window tells the hub again what it watches; the hub forgets a window that is silent.
 */
const SAID_AGAIN = 60_000;

const workerPath = (document.currentScript as HTMLScriptElement | null)?.dataset["worker"];
let heardAt = Date.now();
let watched = "";

const post = ((): ((watched: Watched) => void) => {
  if (workerPath !== undefined && "SharedWorker" in window)
    try {
      const { port } = new SharedWorker(workerPath);
      port.addEventListener("message", ({ data }) => hear(data as Told));
      port.start();
      return (message) => port.postMessage(message);
    } catch {
      // No worker can be made, so the page itself holds the connection.
    }
  const watch = createBrowserHub();
  return (message) => watch(hear, message);
})();

/**
 * Tells the hub, which holds the one connection of all our tabs to the server, what this tab watches: `/sign`, the
 * state of all jobs in a few words, and the page itself while it is visible.
 */
export function watch(): void {
  const page = document.getElementById("live")?.dataset["live"];
  const of = document.getElementById("sign") === null ? [] : ["/sign"];
  if (page !== undefined && !document.hidden) of.push(page);
  watched = of.join(" ");
  post({ of });
}

function hear(told: Told): void {
  if (told.kind === "signed out") return document.hidden ? undefined : leave();
  heardAt = Date.now();
  if (told.kind === "parts") apply(told.html);
  const notice = document.querySelector<HTMLElement>("#stale");
  if (notice === null || notice.hidden) return;
  notice.hidden = true;
  shown();
}

function leave(): void {
  document.dispatchEvent(new Event("rollcall:signed-out"));
  location.reload();
}

function apply(html: string): void {
  const parts = new DOMParser().parseFromString(html, "text/html").querySelectorAll<HTMLTemplateElement>("[data-part]");
  for (const { dataset, content } of parts) {
    const [old, fresh] = [document.getElementById(dataset["part"]!), content.firstElementChild];
    if (old !== null && fresh !== null && !isWritten(old)) morph(old, document.importNode(fresh, true));
  }
  shown();
}

/** Whether a person has typed into a form in this part of the page and not sent the form. */
const isWritten = (part: Element): boolean =>
  [...part.querySelectorAll<HTMLInputElement>(".edit input, .menu-body input")].some(
    ({ value, defaultValue }) => value !== defaultValue,
  );

export const shown = (): boolean => document.dispatchEvent(new Event("rollcall:shown"));

/**
 * Whether nothing has come from the server for `SILENT_MAX` milliseconds. Then the page goes on showing what came last,
 * and its times stop.
 */
export const isSilent = (): boolean => watched !== "" && Date.now() - heardAt >= SILENT_MAX;

function look(): void {
  const notice = document.querySelector<HTMLElement>("#stale");
  const time = notice?.querySelector("time");
  if (notice === null || time === null || time === undefined || !isSilent() || !notice.hidden) return;
  time.dateTime = new Date(heardAt).toISOString();
  notice.hidden = false;
}

document.addEventListener("visibilitychange", watch);
addEventListener("pagehide", () => post({ of: [] }));
addEventListener("pageshow", watch);
setInterval(look, 1_000);
setInterval(watch, SAID_AGAIN);

// Keeps the page true while it is in sight, and its title and icon in the background; or says that it cannot.

import { createHub, type Told, type Watched } from "./hub.ts";
import { morph } from "./morph.ts";

/** The server says every ten seconds that it is there. */
const SILENT_MAX = 30_000;
/** A window says again what it watches, or counts as gone. */
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
      // As where there is none.
    }
  const watch = createHub();
  return (message) => watch(hear, message);
})();

/** Tells what is to be watched: the page in sight, and for each how things stand. */
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

/** Whether a person has written in a form of it that they have not sent. */
const isWritten = (part: Element): boolean =>
  [...part.querySelectorAll<HTMLInputElement>(".edit input, .menu-body input")].some(
    ({ value, defaultValue }) => value !== defaultValue,
  );

export const shown = (): boolean => document.dispatchEvent(new Event("rollcall:shown"));

/** Then the page shows how things stood when it was last heard, and no time on it goes on. */
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

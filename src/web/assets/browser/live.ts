// Says so when an open page is no longer kept true, because nothing comes from the server; and asks to sign in where
// the session is over.

/** The server says every ten seconds that it is there. */
const SILENT_MAX = 30_000;

const notice = document.querySelector<HTMLElement>("#stale");
let heardAt = Date.now();

function heard(): void {
  heardAt = Date.now();
  if (notice !== null) notice.hidden = true;
}

function look(): void {
  const time = notice?.querySelector("time");
  if (notice === null || time === null || time === undefined) return;
  if (document.hidden || Date.now() - heardAt < SILENT_MAX || !notice.hidden) return;
  time.dateTime = new Date(heardAt).toISOString();
  notice.hidden = false;
}

document.addEventListener("htmx:sse:after:connection", heard);
document.addEventListener("htmx:sse:after:message", heard);
document.addEventListener("htmx:sse:error", (event) => {
  const { status } = (event as CustomEvent<{ readonly status?: number }>).detail;
  if (status === 401) location.reload();
});
// In the background a page is not connected.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && notice?.hidden) heardAt = Date.now();
});
setInterval(look, 1_000);

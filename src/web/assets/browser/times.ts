// Keeps times current: how long ago or how soon, from the instant in each `<time>`, and the exact time in the viewer's zone
// beside the job's. The server sends changes alone.

import { ago, dayAndTime, until } from "../../../domain/wording/short-time.ts";

const EXACT: Intl.DateTimeFormatOptions = { dateStyle: "medium", timeStyle: "medium" };

/** `2 Mar 2026, 03:00:00 here, 02:00:00 in Europe/Berlin`. */
function exactly(at: Date, timezone: string | undefined): string {
  const here = at.toLocaleString(undefined, EXACT);
  if (timezone === undefined) return here;
  const there = at.toLocaleString(undefined, { ...EXACT, timeZone: timezone });
  return there === here ? `${here}, ${timezone}` : `${here} here; ${there} in ${timezone}`;
}

/** In the viewer's zone. Null: it stays as it was written. */
function textOf(as: string | undefined, at: Date, now: number): string | null {
  switch (as) {
    case "ago":
      return ago(at.getTime(), now);
    case "until":
      return until(at.getTime(), now);
    case "when":
      return dayAndTime(at.getTime(), now, -at.getTimezoneOffset() * 60_000);
    default:
      return null;
  }
}

function show(): void {
  const now = Date.now();
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-as]")) {
    const at = new Date(time.dateTime);
    const { as, zone } = time.dataset;
    const text = textOf(as, at, now);
    if (text !== null && time.textContent !== text) time.textContent = text;
    const title = exactly(at, zone);
    if (time.title !== title) time.title = title;
    if (as === "until") time.classList.toggle("is-past", at.getTime() < now);
  }
}

show();
setInterval(show, 1_000);
document.addEventListener("htmx:after:swap", show);

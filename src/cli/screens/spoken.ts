// Writes instants and durations for people at a terminal. All instants of a screen are in one time zone, and each has
// its age: `2026-03-01 03:00:05 (3 min ago)`.

import { offsetPeriodAt } from "../../domain/schedule/zone.ts";
import { visibleText } from "../../domain/text.ts";
import { type Instant, SECOND, toIso } from "../../domain/time.ts";
import { momentAs, type WordedPart } from "../../domain/wording/now.ts";
import { ago, span } from "../../domain/wording/short-time.ts";

/** `now` is when the screen is written; `timezone` is the zone of all its instants, which the screen names once. */
export type ScreenClock = Readonly<{ now: Instant; timezone: string }>;

/** Writes `2026-03-01 03:00:05 (3 min ago)`, or a dash for `null`. */
export const printedTime = (at: Instant | null, clock: ScreenClock): string =>
  at === null ? "-" : withAge(wallTime(at, clock.timezone), at, clock);

/** Writes `2026-03-01 03:00 (3 min ago)`, or a dash for `null`; lists have no room for seconds. */
export const printedMinute = (at: Instant | null, clock: ScreenClock): string =>
  at === null ? "-" : withAge(wallTime(at, clock.timezone).slice(0, -3), at, clock);

/** Writes `2026-03-01 03:00:05 Europe/Berlin (3 min ago)`, for text without a heading that names the zone. */
export const printedMoment = (at: Instant, clock: ScreenClock): string =>
  withAge(`${wallTime(at, clock.timezone)} ${clock.timezone}`, at, clock);

const withAge = (text: string, at: Instant, clock: ScreenClock): string =>
  `${unbroken(text)} ${unbroken(`(${age(at, clock)})`)}`;

function wallTime(at: Instant, timezone: string): string {
  return toIso(at + offsetPeriodAt(timezone, at).offset)
    .slice(0, 19)
    .replace("T", " ");
}

export function printedDateAndTime(at: Instant, { timezone }: ScreenClock): [date: string, time: string] {
  const [date = "", clock = ""] = wallTime(at, timezone).split(" ");
  return [date, clock];
}

/** Writes `3 min ago`, `in 2 h` or `now`. */
export const age = (at: Instant, { now }: ScreenClock): string => ago(at, now);

/** Writes a sentence about a job as it is true now; its times are in the screen's zone. */
export const spokenSentence = (parts: readonly WordedPart[], { now, timezone }: ScreenClock): string =>
  parts
    .map(({ text, at, as }) => (at === null || as === null ? text : unbroken(momentAs(as, at, now, timezone))))
    .join("");

export const printedSeconds = (count: number): string => span(count * SECOND);

/** Writes `backup`, or `prod/backup` when there are several applications. */
export const printedMonitorLabel = (
  { application, key }: { readonly application: string; readonly key: string },
  { onlyApplication }: { readonly onlyApplication: boolean },
): string => visibleText(onlyApplication ? key : `${application}/${key}`);

/**
 * Marks text that must stay on one line: no-break spaces replace its spaces, and become spaces again when the text is
 * printed.
 */
export const unbroken = (text: string): string => text.replaceAll(" ", NO_BREAK);

const NO_BREAK = "\u00a0";
const MAY_BREAK = "\u200b";

/** Writes a zone's name so that a line may break after its slash. */
export const printedZone = (timezone: string): string => timezone.replaceAll("/", `/${MAY_BREAK}`);

export const headIn = ({ timezone }: ScreenClock, name: string): string => `${name} (${printedZone(timezone)})`;

/**
 * Splits text into the pieces between which a line may break. The space at the end of a line's last piece is not
 * printed.
 */
export const unbrokenPiecesOf = (text: string): string[] => text.split(/(?<=[ \u200b])/);

export const withPlainSpaces = (text: string): string => text.replaceAll(NO_BREAK, " ").replaceAll(MAY_BREAK, "");

export function printedShortText(text: string, characters: number): string {
  const all = [...text];
  return all.length <= characters ? text : `${all.slice(0, characters - 1).join("")}…`;
}

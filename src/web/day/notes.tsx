// What stands across all lanes, in words: which minutes are crowded, when rollcall could not hear, and where clocks change.

import { atMost } from "../../domain/wording/gap.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { ClockChange } from "./axis.ts";
import type { ClockWords } from "./clock-words.ts";
import { type Crowd, NAMES_SHOWN } from "./crowds.ts";
import type { DayView } from "./model.ts";

type NotesProps = Pick<DayView, "crowds" | "gaps" | "changes" | "timezone"> & { readonly clock: ClockWords };

const GAPS_NAMED = 4;

export const Notes = ({ crowds, gaps, changes, timezone, clock }: NotesProps) => (
  <ul id="day-notes" class="day-notes note">
    {crowds.minutes.map((crowd) => (
      <li key={crowd.at}>
        <strong>{counted(crowd.jobs, "job")}</strong> start at {clock.moment(crowd.at)}: {namesOf(crowd)}
      </li>
    ))}
    {gaps.slice(-GAPS_NAMED).map((gap) => (
      <li key={gap.from}>
        <span class="day-key is-gap" aria-hidden="true" /> rollcall could not hear {clock.between(gap)} (
        {atMost(gap.reason, gap.silentMs)})
      </li>
    ))}
    {gaps.length <= GAPS_NAMED ? null : (
      <li>
        and {gaps.length - GAPS_NAMED} times before, see <a href="/own-health">Health</a>
      </li>
    )}
    {changes.map((change) => (
      <li key={`${change.at} ${change.zones[0]}`}>
        <span class="day-key is-change" aria-hidden="true" /> {changeInWords(change, timezone, clock)}
      </li>
    ))}
    <li class="day-notes-zone">times are in {timezone}</li>
  </ul>
);

function namesOf({ names, jobs }: Crowd): string {
  const shown = names.join(", ");
  return jobs > NAMES_SHOWN ? `${shown} and ${jobs - NAMES_SHOWN} more` : shown;
}

const ZONES_NAMED = 2;

/** `clocks go from 02:00 to 03:00 in Europe/Berlin, Sun 03:00`. */
function changeInWords({ at, before, after, zones }: ClockChange, timezone: string, clock: ClockWords): string {
  const wall = (offset: number): string => new Date(at + offset).toISOString().slice(11, 16);
  const more = zones.length > ZONES_NAMED ? ` and ${counted(zones.length - ZONES_NAMED, "more zone")}` : "";
  const where = `${zones.slice(0, ZONES_NAMED).join(", ")}${more}`;
  const when = zones.includes(timezone) ? clock.day(at) : clock.moment(at);
  return `clocks go from ${wall(before)} to ${wall(after)} in ${where} (${when})`;
}

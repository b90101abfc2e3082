// Describes in alerts the times in which rollcall itself could not hear (R26).

import { SHORT_GAP } from "../limits.ts";
import type { AlertData, AlertGap } from "../message/alert.ts";
import type { GapReason } from "../monitor/gap.ts";
import type { Times } from "./message-times.ts";
import { counted, durationInWords } from "./spoken-time.ts";

/** An alert names at most this many gaps, the newest. More of them would hide what happened to the job. */
const SAID = 3;

/**
 * The gaps of an alert in words, such as `rollcall was restarted at 02:00:32 (down for at most 4 seconds)`. With them
 * people can judge whether a report was lost. `null` when the alert has no gap.
 */
export function gapsInWords(data: AlertData, times: Times): string | null {
  const gaps = gapsOf(data);
  if (gaps.length === 0) return null;
  const said = gaps.slice(-SAID).map((gap) => gapInWords(gap, data.timezone, times));
  const more = (data.gapsTotal ?? gaps.length) - said.length;
  return [...said, ...(more > 0 ? [`and it could not hear ${counted(more, "time")} before`] : [])].join(", ");
}

/** The sentence that a report sent during the gap is lost. `awaited` is what may be lost: `the report` or `the end`. */
export const gapAdvice = (data: AlertData, awaited: string): string[] => {
  const then = gapsOf(data).length > 1 ? "at such a time" : "then";
  return gapsOf(data).length === 0 ? [] : [`If ${awaited} was sent ${then}, it is lost.`];
};

type SaidGap = Omit<AlertGap, "reason"> & { readonly reason: GapReason | null };

/** The gaps of an alert. Alerts stored by earlier versions have a single gap without a reason. */
const gapsOf = ({ gap, gaps }: AlertData): readonly SaidGap[] => {
  if (gaps !== undefined && gaps.length > 0) return gaps;
  return (gap ?? null) === null ? [] : [{ ...gap!, reason: null, times: 1 }];
};

function gapInWords({ from, to, reason, times: outages }: SaidGap, timezone: string, times: Times): string {
  const lasted = Date.parse(to) - Date.parse(from);
  if (reason === "restored")
    return `rollcall's data are from ${said(from)}, because a backup was restored at ${said(to)}`;
  if (outages > 1) return `rollcall itself could not always hear between ${said(from)} and ${said(to)}`;
  if (lasted > SHORT_GAP) return `rollcall itself could not hear from ${said(from)} to ${said(to)}`;
  if (reason === "stopped")
    return `rollcall was restarted at ${said(to)} (down for ${gapLengthInWords(reason, lasted)})`;
  return `rollcall itself could not hear for ${durationInWords(lasted)} at ${said(from)}`;

  function said(at: string): string {
    return times.say(at, timezone);
  }
}

/**
 * The length of a gap in words. A stop has lasted `at most` so long, because only the last sign of life of the former
 * process is known, not when it ended.
 */
export const gapLengthInWords = (reason: GapReason, milliseconds: number): string =>
  `${reason === "stopped" && milliseconds >= 1_000 ? "at most " : ""}${durationInWords(milliseconds)}`;

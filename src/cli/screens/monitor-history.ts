// `rollcall monitor history`: a monitor's reports, and among them the times that none filled, in its own zone.

import { intervalInWords } from "../../domain/wording/spoken-time.ts";
import type { WrittenAnswer } from "../../engine/operations/operations.ts";
import type { Screen } from "../asking/ask-service.ts";
import { durationCell, outcomesCell } from "./monitor-tables.ts";
import { olderOnes, type Presenter } from "./presenter.ts";
import { headIn, shortText, time } from "./spoken.ts";

type Entry = WrittenAnswer<"monitor history">["entries"][number];

const HEAD = ["HEARD", "WHAT", "RUN", "RUN ID", "ATTEMPT", "DURATION", "MESSAGE", "OUTCOMES"];

const MESSAGE_SHOWN = 80;

export const monitorHistory: Presenter<"monitor history"> = {
  kind: "list",
  leavesOutEmpty: true,
  items: ({ entries }) => entries,
  none: () => "it has not reported, and nothing was due",
  head: (screen, { timezone }) => [headIn({ ...screen, timezone }, "AT"), ...HEAD],
  rows: ({ entries, timezone }, screen) => entries.map((entry) => rowOf(entry, { ...screen, timezone })),
  beside: ({ entries, more, everySeconds }) => [
    ...(everySeconds === null
      ? []
      : [`it must report at least ${intervalInWords(everySeconds)}: what was due is not listed, only what came`]),
    ...olderOnes(entries.length, more),
  ],
};

const rowOf = (entry: Entry, screen: Screen): string[] => [
  time(entry.at, screen),
  entry.heardAt === null ? "-" : time(entry.heardAt, screen),
  whatIn(entry, screen),
  entry.runNumber === null ? "-" : String(entry.runNumber),
  entry.runId ?? "-",
  entry.attempt === null ? "-" : String(entry.attempt),
  durationCell(entry),
  entry.message === null ? "-" : shortText(entry.message, MESSAGE_SHOWN),
  outcomesCell(entry),
];

function whatIn({ what, reportAt }: Entry, screen: Screen): string {
  switch (what) {
    case "missed":
      return "MISSED";
    case "late":
      return `MISSED, reported at ${time(reportAt, screen)}`;
    case "unknown":
      return "unknown: rollcall could not hear";
    case "silent":
      return "silent: nothing was due then";
    default:
      return what;
  }
}

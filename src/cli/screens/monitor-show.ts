// Prints `rollcall monitor show`, all that is known about one monitor, and `monitor history`. The times are in the
// monitor's zone.

import { intervalInWords } from "../../domain/wording/spoken-time.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import { monitorFacts, standingFacts } from "../../views/rows/monitor-facts.ts";
import { storyEntryInWords } from "../../views/story.ts";
import type { Screen } from "../asking/ask-service.ts";
import { reportCell, saidCells, tablesOf } from "./monitor-tables.ts";
import { olderOnes, type Screens } from "./presenter.ts";
import { factLines, textOfParts } from "./row-lines.ts";
import { headIn, printedTime } from "./spoken.ts";
import { formatFacts, type TableRow } from "./table.ts";

export const MONITOR_SHOW_SCREENS: Screens = {
  "monitor show": {
    lines: (monitor, serverScreen) => {
      const screen = { ...serverScreen, timezone: monitor.timezone };
      const facts = factLines([...standingFacts(monitor), ...monitorFacts(monitor, screen.now)], screen);
      const times = `All times here are in ${monitor.timezone}.`;
      return [...formatFacts([...facts, ["", times]], screen), ...tablesOf(monitor, screen)];
    },
  },
  "monitor history": {
    leavesOutEmpty: true,
    items: ({ entries }) => entries,
    none: () => "it has not reported, and nothing was due",
    rows: ({ entries, timezone }, screen) => entries.map((entry) => historyRow(entry, { ...screen, timezone })),
    beside: ({ entries, more, everySeconds }) => [
      ...(everySeconds === null
        ? []
        : [`it must report at least ${intervalInWords(everySeconds)}: what was due is not listed, only what came`]),
      ...olderOnes(entries.length, more),
    ],
  },
};

type HistoryEntry = Answer<"monitor history">["entries"][number];

const historyRow = (entry: HistoryEntry, screen: Screen): TableRow => ({
  [headIn(screen, "AT")]: printedTime(entry.at, screen),
  HEARD: entry.heardAt === null ? "-" : printedTime(entry.heardAt, screen),
  WHAT: whatIn(entry, screen),
  ...saidCells(entry),
});

function whatIn({ at, kind, outcome, reportAt }: HistoryEntry, screen: Screen): string {
  if (kind !== null || outcome === null) return reportCell({ kind, outcome });
  return textOfParts(storyEntryInWords({ at, result: outcome, slot: { reportAt, heardAt: null }, run: null }), screen);
}

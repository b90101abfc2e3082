// Prints the answers to `rollcall maintenance …`: lists planned maintenance, and says what planning or ending one
// did.

import { visibleText } from "../../domain/text.ts";
import { isCalledOff, maintenanceInWords } from "../../domain/wording/paused.ts";
import { byPerson } from "../../domain/wording/since-words.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import { jobsUnder, maintenanceState } from "../../views/rows/maintenance-rows.ts";
import type { Screen } from "../asking/ask-service.ts";
import { isNarrowed, type Screens } from "./presenter.ts";
import { headIn, printedMinute, printedMoment, printedShortText, printedTime, withPlainSpaces } from "./spoken.ts";
import { ownerCell, say, type TableRow } from "./table.ts";

type ListedMaintenance = Answer<"maintenance list">["maintenances"][number];

const REASON_SHOWN = 60;

export const MAINTENANCE_SCREENS: Screens = {
  "maintenance list": {
    leavesOutEmpty: true,
    items: ({ maintenances }) => maintenances,
    none: (asked) =>
      isNarrowed(asked) ? "no such maintenance is planned" : "no maintenance is planned; `maintenance plan` does it",
    rows: ({ maintenances }, screen) => maintenances.map((one) => maintenanceRow(one, screen)),
  },
  "maintenance plan": ({ answer: { maintenance, unmatched }, screen, io }) => {
    const { id, next, state, schedule } = maintenance;
    const from = state === "now" ? "from now" : `from ${printedMoment(next!.from, screen)}`;
    const until = `until ${printedMoment(next!.until, screen)}`;
    const lasts = maintenanceInWords(maintenance, screen.timezone);
    const again = schedule === null ? `, ${lasts}` : `, and again ${lasts}`;
    io.out(withPlainSpaces(`planned maintenance ${id} of ${jobsUnder(maintenance)}: ${from} ${until}${again}`));
    if (unmatched.length > 0)
      say(io, `no monitor matches ${unmatched.map(visibleText).join(", ")} yet: it is for those that come`);
    say(io, `\`rollcall maintenance end ${id}\` ends it`);
  },
  "maintenance end": ({ answer: { changed, maintenance }, screen, io }) => {
    const { id, endedAt, endedBy, next } = maintenance;
    if (!changed) {
      const over = endedAt ?? next?.until ?? null;
      const was = isCalledOff(maintenance) ? "called off" : "over";
      return io.out(
        withPlainSpaces(`maintenance ${id} was ${was} already: ${printedTime(over, screen)}${byPerson(endedBy)}`),
      );
    }
    if (isCalledOff(maintenance)) return io.out(`called off maintenance ${id} of ${jobsUnder(maintenance)}`);
    io.out(`ended maintenance ${id} of ${jobsUnder(maintenance)}`);
    say(io, "its monitors expect their next scheduled report");
  },
};

const maintenanceRow = (one: ListedMaintenance, screen: Screen): TableRow => ({
  ID: one.id === null ? "-" : String(one.id),
  STATE: maintenanceState(one),
  ...ownerCell(screen, one.application),
  MONITORS: one.monitors.length === 0 ? "all" : one.monitors.map(visibleText).join(", "),
  [headIn(screen, "FROM")]: printedMinute(one.next?.from ?? null, screen),
  UNTIL: printedMinute((isCalledOff(one) ? null : one.endedAt) ?? one.next?.until ?? null, screen),
  REPEATS: one.schedule === null ? "-" : maintenanceInWords(one, screen.timezone),
  BY: one.id === null ? "the configuration" : visibleText(one.plannedBy ?? "a command"),
  REASON: one.reason === null ? "-" : printedShortText(visibleText(one.reason), REASON_SHOWN),
});

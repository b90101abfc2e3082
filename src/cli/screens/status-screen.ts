// `rollcall status`: what needs somebody, on one screen. Exit code 1 says that something does.

import { counted } from "../../domain/wording/spoken-time.ts";
import type { WrittenAnswer } from "../../engine/operations/operations.ts";
import type { Screen } from "../asking/ask-service.ts";
import { DONE, REFUSED } from "../io.ts";
import { paintedCounts } from "./color.ts";
import { incidentTable } from "./incident-screens.ts";
import { nameOf } from "./monitor-screens.ts";
import type { Presenter } from "./presenter.ts";
import { age, moment, shown, unbroken } from "./spoken.ts";
import { formatTable, formatText } from "./table.ts";

type Status = WrittenAnswer<"status">;

export const status: Presenter<"status"> = {
  kind: "thing",
  lines: (answer, screen) => linesOf(answer, screen),
  exitCode: (answer) => (needsSomebody(answer) ? REFUSED : DONE),
};

const needsSomebody = ({ troubles, incidents, unreadable, failing, unheard }: Status): boolean =>
  incidents.some(({ acknowledgedAt }) => acknowledgedAt === null) ||
  troubles.length + unreadable + failing.length + unheard.length > 0;

const NOTHING = "nothing needs anybody";

function linesOf(answer: Status, screen: Screen): string[] {
  const { troubles, counts, incidents, moreIncidents, warnings, unreadable, failing, unheard, suspended } = answer;
  const said = (text: string): string[] => formatText(text, screen.width);
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(counts).flatMap(([word, count]) => (count === 0 ? [] : [`${count} ${word}`]));
  const table = incidentTable(incidents, screen);
  return [
    ...troubles.flatMap((trouble) => said(`rollcall itself: ${trouble}`)),
    ...said(`${counted(all, "monitor")}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`).map((line) =>
      screen.color ? paintedCounts(line) : line,
    ),
    ...(incidents.length === 0 ? said("no incident is open") : ["", ...formatTable(table.head, table.rows, screen)]),
    ...(moreIncidents ? said(`and more: ${unbroken(screen.typed("incident list --open"))}`) : []),
    ...warnings.flatMap((monitor) =>
      said(
        `warning: ${nameOf(monitor, screen)}, last report ${monitor.lastPingAt === null ? "never" : age(monitor.lastPingAt, screen)}`,
      ),
    ),
    ...failing.flatMap(({ destination, answer: told, since }) =>
      said(shown(`${destination} has taken no messages since ${moment(since, screen)}: ${told}`)),
    ),
    ...unheard.flatMap((sentence) => said(sentence)),
    ...(unreadable === 0 ? [] : said(`${counted(unreadable, "monitor")} cannot be read: the log says why`)),
    ...(suspended.length === 0 ? [] : said(`suspended: ${suspended.join(", ")}`)),
    ...(needsSomebody(answer)
      ? []
      : said(warnings.length === 0 ? NOTHING : `${NOTHING} now; ${counted(warnings.length, "warning")} may soon`)),
  ];
}

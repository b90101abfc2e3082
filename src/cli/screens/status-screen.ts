// `rollcall status`: what needs attention, on one screen. Exit code 1 says that something does.

import { counted } from "../../domain/wording/spoken-time.ts";
import type { WrittenAnswer } from "../../engine/operations/operations.ts";
import type { Screen } from "../asking/ask-service.ts";
import { after } from "../clock.ts";
import { DONE, type Io, MISUSED, REFUSED } from "../io.ts";
import { paintedCounts } from "./color.ts";
import { incidentState } from "./incident-screens.ts";
import { nameOf } from "./monitor-screens.ts";
import type { Presenter } from "./presenter.ts";
import { headIn, moment, sentence, shown, unbroken } from "./spoken.ts";
import { formatTable, formatText, ownerColumn, say } from "./table.ts";

type WrittenStatus = WrittenAnswer<"status">;

export const status: Presenter<"status"> = {
  kind: "thing",
  lines: (answer, screen) => linesOf(answer, screen),
  exitCode: (answer) => (needsSomebody(answer) ? REFUSED : DONE),
};

const needsSomebody = ({ troubles, incidents, unreadable, failing, unheard }: WrittenStatus): boolean =>
  incidents.some(({ acknowledgedAt }) => acknowledgedAt === null) ||
  troubles.length + unreadable + failing.length + unheard.length > 0;

const NOTHING = "nothing needs attention";

function linesOf(answer: WrittenStatus, screen: Screen): string[] {
  const { troubles, counts, incidents, moreIncidents, warnings, unreadable, failing, unheard, suspended } = answer;
  const said = (text: string): string[] => formatText(text, screen.width);
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(counts).flatMap(([word, count]) => (count === 0 ? [] : [`${count} ${word}`]));
  return [
    ...troubles.flatMap((trouble) => said(`rollcall itself: ${trouble}`)),
    ...said(`${counted(all, "monitor")}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`).map((line) =>
      screen.color ? paintedCounts(line) : line,
    ),
    ...(incidents.length === 0 ? said("no incident is open") : ["", ...openIncidents(incidents, screen)]),
    ...(moreIncidents ? said(`and more: ${unbroken(screen.typed("incident list --open"))}`) : []),
    ...warnings.flatMap((monitor) => said(`warning: ${nameOf(monitor, screen)} ${sentence(monitor.now, screen)}`)),
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

/** Each as it stands now, and who has taken it on. */
function openIncidents(incidents: WrittenStatus["incidents"], screen: Screen): string[] {
  const head = ["ID", ...ownerColumn(screen, "APPLICATION"), "MONITOR", headIn(screen, "NOW"), "STATE"];
  const rows = incidents.map((incident) => [
    String(incident.id),
    ...ownerColumn(screen, incident.application),
    incident.key,
    sentence(incident.now, screen),
    incidentState(incident, screen),
  ]);
  return formatTable(head, rows, screen);
}

// `rollcall reload`: waits until the configuration that was read is in force, and says what has changed.

type WrittenReload = WrittenAnswer<"reload">;
type WrittenChange = WrittenReload["changed"][number];

/** Milliseconds between two looks. */
const LOOK_EVERY = 50;
/** How it goes is said after a second, and every ten seconds from then on. */
const LOOKS_UNTIL_SAID = 20;
const LOOKS_UNTIL_SAID_AGAIN = 200;

/** Exit code 0 once it is in force for every monitor, 2 when the configuration is faulty. */
export const reload: Presenter<"reload"> = {
  kind: "dialogue",
  hold: async ({ answer, io, ask, asJson }) => {
    let now: WrittenReload = answer;
    for (let look = 1; now.state === "waiting" || now.state === "applying"; look++) {
      if (look === LOOKS_UNTIL_SAID || look % LOOKS_UNTIL_SAID_AGAIN === 0)
        say(io, now.state === "waiting" ? "waiting for another reload" : "putting it in force for every monitor");
      await new Promise<void>((resolve) => after(LOOK_EVERY, resolve));
      const asked = await ask("reload show", { id: answer.id });
      if ("exitCode" in asked) return { ...asked, ended: null };
      now = asked.answer;
    }
    if (!asJson) tell(now, io);
    return { exitCode: { done: DONE, refused: MISUSED, failed: REFUSED }[now.state], ended: now };
  },
};

function tell({ state, changed, restart, faults, warnings }: WrittenReload, io: Io): void {
  if (state === "refused") {
    for (const fault of faults) io.err(fault);
    say(io, `${counted(faults.length, "fault")}: nothing was changed, rollcall goes on with what is in force`);
    return;
  }
  for (const warning of warnings) io.err(`warning: ${warning}`);
  if (state === "failed") say(io, "storage did not take it, see the log; run it again");
  const isSame = changed.length === 0 && restart.length === 0;
  if (isSame && state === "done") io.out("nothing has changed");
  for (const change of changed) io.out(lineOf(change));
  if (restart.length > 0) say(io, `${counted(restart.length, "setting")} will come into force with a restart:`);
  for (const change of restart) io.out(`${lineOf(change)}, needs a restart`);
}

/** `limits.v1_per_minute: 60 -> 120 (rollcall.toml:12)`. */
function lineOf({ key, before, after: now, secret, from }: WrittenChange): string {
  const value = (text: string | null): string => (text === null ? "left out" : text === "" ? "none" : text);
  const change = secret
    ? "another secret"
    : before === now
      ? "the file holds something else"
      : `${value(before)} -> ${value(now)}`;
  return `${key}: ${change} (${from ?? "default"})`;
}

// Prints the answers to `rollcall status`, `advise`, `config set`, `reload`, `backup` and `backups`. `status` ends with
// exit code 1 when something needs attention.

import { visibleText } from "../../domain/text.ts";
import { sizeInWords } from "../../domain/wording/size.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import { alikeAdvice } from "../../views/rows/advice-rows.ts";
import { comingBackupsInWords, failedBackupInWords } from "../../views/rows/backup-rows.ts";
import { failureParts } from "../../views/rows/destination-rows.ts";
import { incidentState } from "../../views/rows/incident-rows.ts";
import { serviceFacts } from "../../views/rows/service-rows.ts";
import { BACKUP, RELOAD } from "../../views/schemas/status-schemas.ts";
import { writtenAnswer } from "../../views/schemas/written.ts";
import type { Screen } from "../asking/ask-service.ts";
import { DONE, type Io, MISUSED, REFUSED } from "../io.ts";
import { colored, paintedCounts } from "./color.ts";
import { type Screens, whenEnded } from "./presenter.ts";
import { sentenceOfParts, textOfParts } from "./row-lines.ts";
import { headIn, printedMinute, printedMonitorLabel, spokenSentence, unbroken } from "./spoken.ts";
import { formatRows, formatText, ownerCell, say } from "./table.ts";

type AnsweredStatus = Answer<"status">;

const adviceAbout = ({ application, key }: Answer<"advise">["advice"][number], screen: Screen): string =>
  application === null || key === null ? "" : `${printedMonitorLabel({ application, key }, screen)}: `;

export const SERVICE_SCREENS: Screens = {
  status: {
    lines: (answer, screen) => statusLines(answer, screen),
    exitCode: (answer) => (needsAttention(answer) ? REFUSED : DONE),
  },
  advise: {
    lines: ({ advice, more }, screen) => [
      ...alikeAdvice(advice).flatMap(({ says, of, pieces }) => {
        const whose = of === null ? adviceAbout(pieces[0]!, screen) : `${of}: `;
        return [
          ...formatText(`${whose}${visibleText(says)}.`, screen.width),
          ...pieces.flatMap(({ command }) => (command === null ? [] : [`  ${visibleText(typedAs(command, screen))}`])),
        ];
      }),
      ...(more > 0 ? [`and ${more} more`] : []),
      ...(advice.length === 0 ? ["There is nothing to advise."] : []),
    ],
  },
  "config set": ({ answer: { timezone, url, mailServer }, io }) => {
    if (timezone !== null) io.out(`schedules are read in ${timezone || "the zone of the first start"}`);
    if (url !== null) io.out(url === "" ? "no address is kept" : `the address is ${url}`);
    if (mailServer !== null) io.out(mailServer === "" ? "no mail server is kept" : `mail goes through ${mailServer}`);
  },
  /**
   * The exit code is 0 once the configuration is in force for every monitor, 2 when it is faulty, and 1 after any other
   * failure.
   */
  reload: {
    hold: async ({ answer, io, ask, asJson }) => {
      const ended = await whenEnded<AnsweredReload>(
        answer,
        ({ state }) => state === "waiting" || state === "applying",
        () => ask("reload show", { id: answer.id }),
        ({ state }) =>
          say(io, state === "waiting" ? "waiting for another reload" : "putting it in force for every monitor"),
      );
      if ("exitCode" in ended) return { ...ended, ended: null };
      if (!asJson) sayReload(ended.answer, io);
      const { state } = ended.answer;
      return {
        exitCode: state === "done" ? DONE : state === "refused" ? MISUSED : REFUSED,
        ended: writtenAnswer(RELOAD, ended.answer),
      };
    },
  },
  /**
   * The exit code is 0 once the copy is checked and on disk, and the operator's command has succeeded with it;
   * otherwise 1.
   */
  backup: {
    hold: async ({ answer, io, ask }) => {
      const ended = await whenEnded<Answer<"backup">>(
        answer,
        ({ state }) => state === "copying" || state === "sending",
        () => ask("backup show", { id: answer.id }),
        async () => {
          const health = await ask("backups", {});
          const underWay = "exitCode" in health ? null : health.answer.underWay;
          if (underWay?.state === "sending") say(io, "the copy is made; storage.backup_command runs");
          else if (underWay !== null) say(io, `copying: ${sizeInWords(underWay.bytes)} so far`);
        },
      );
      if ("exitCode" in ended) return { ...ended, ended: null };
      const { state, copied, file, fault } = ended.answer;
      if (state === "done") {
        io.out(`${file}: ${sizeInWords(copied!.bytes)}, ${counted(copied!.monitors, "monitor")}, proved`);
        return { exitCode: DONE, ended: writtenAnswer(BACKUP, ended.answer) };
      }
      say(io, copied === null ? `no backup was made: ${fault}` : `the backup is at ${file}`);
      if (copied !== null) say(io, `but storage.backup_command failed with it: ${fault}`);
      return { exitCode: REFUSED, ended: writtenAnswer(BACKUP, ended.answer) };
    },
  },
  backups: {
    items: ({ backups }) => backups,
    none: () => "there is no backup yet",
    rows: ({ backups }, screen) =>
      backups.map(({ at, bytes, file }) => ({
        [headIn(screen, "MADE")]: printedMinute(at, screen),
        SIZE: sizeInWords(bytes),
        FILE: file,
      })),
    beside: (backups, screen) =>
      [failedBackupInWords(backups) ?? [], ...comingBackupsInWords(backups)]
        .filter((parts) => parts.length > 0)
        .map((parts) => sentenceOfParts(parts, screen)),
  },
};

/**
 * Whether something needs attention, by the same rule as on the first page: a job in trouble that no person has taken
 * on, or rollcall itself.
 */
const needsAttention = ({ troubles, counts, takenOn, unreadable, failing, unheard }: AnsweredStatus): boolean =>
  counts.critical > takenOn || troubles.length + unreadable + failing.length + unheard.length > 0;

const NOTHING = "nothing needs attention";

function statusLines(answer: AnsweredStatus, screen: Screen): string[] {
  const { troubles, counts, incidents, moreIncidents, warnings, unreadable, failing, unheard } = answer;
  const aside = answer.pausedIncidents;
  const said = (text: string): string[] => formatText(text, screen.width);
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(counts).flatMap(([word, count]) => (count === 0 ? [] : [`${count} ${word}`]));
  return [
    ...troubles.flatMap((trouble) => said(`rollcall itself: ${trouble}`)),
    ...said(`${counted(all, "monitor")}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`).map((line) =>
      screen.color ? paintedCounts(line) : line,
    ),
    ...(incidents.length > 0
      ? ["", ...openIncidents(incidents, screen)]
      : aside === 0
        ? said("no incident is open")
        : []),
    ...(aside === 0 ? [] : said(`${counted(aside, "incident")} of paused monitors ${aside === 1 ? "is" : "are"} open`)),
    ...incidents.flatMap((incident) =>
      incident.unnotified.length === 0
        ? []
        : said(`${printedMonitorLabel(incident, screen)}: ${spokenSentence(incident.unnotified, screen)}`).map(
            (line) => (screen.color ? colored("red", line) : line),
          ),
    ),
    ...(moreIncidents ? said(`and more: ${unbroken(screen.typed("incident list --open"))}`) : []),
    ...warnings.flatMap((monitor) =>
      said(`warning: ${printedMonitorLabel(monitor, screen)} ${spokenSentence(monitor.now, screen)}`),
    ),
    ...failing.flatMap(({ destination, answer: told, since }) =>
      said(`${destination} ${sentenceOfParts(failureParts({ since, answer: told }, "exact"), screen)}`),
    ),
    ...unheard.flatMap((sentence) => said(sentence)),
    ...(unreadable === 0 ? [] : said(`${counted(unreadable, "monitor")} cannot be read: the log says why`)),
    ...serviceFacts(answer).flatMap(({ name, says }) => said(`${name}: ${sentenceOfParts(says, screen)}`)),
    ...(needsAttention(answer)
      ? []
      : said(warnings.length === 0 ? NOTHING : `${NOTHING} now; ${counted(warnings.length, "warning")} may soon`)),
  ];
}

const openIncidents = (incidents: AnsweredStatus["incidents"], screen: Screen): string[] =>
  formatRows(
    incidents.map((incident) => ({
      ID: String(incident.id),
      ...ownerCell(screen, incident.application),
      MONITOR: incident.key,
      [headIn(screen, "NOW")]: spokenSentence(incident.now, screen),
      STATE: textOfParts(incidentState(incident), screen),
    })),
    screen,
  );

type AnsweredReload = Answer<"reload">;

function sayReload({ state, changed, restart, faults, warnings }: AnsweredReload, io: Io): void {
  if (state === "refused") {
    for (const fault of faults) io.err(fault);
    say(io, `${counted(faults.length, "fault")}: nothing was changed, rollcall goes on with what is in force`);
    return;
  }
  for (const warning of warnings) io.err(`warning: ${warning}`);
  if (state === "failed") say(io, "storage did not take it, see the log; run it again");
  const isSame = changed.length === 0 && restart.length === 0;
  if (isSame && state === "done") io.out("nothing has changed");
  for (const change of changed) io.out(changedSettingLine(change));
  if (restart.length > 0) say(io, `${counted(restart.length, "setting")} will come into force with a restart:`);
  for (const change of restart) io.out(`${changedSettingLine(change)}, needs a restart`);
}

/** Returns text such as `limits.v1_per_minute: 60 -> 120 (rollcall.toml:12)`. */
function changedSettingLine({ key, before, after: now, secret, from }: AnsweredReload["changed"][number]): string {
  const value = (text: string | null): string => (text === null ? "left out" : text === "" ? "none" : text);
  const change = secret
    ? "another secret"
    : before === now
      ? "the file holds something else"
      : `${value(before)} -> ${value(now)}`;
  return `${key}: ${change} (${from ?? "default"})`;
}

/** Replaces `rollcall` at the start of a command from the service by what a person here must type. */
const typedAs = (command: string, { typed }: Pick<Screen, "typed">): string =>
  command.replace(/^rollcall (.*)$/s, (_, words: string) => typed(words));

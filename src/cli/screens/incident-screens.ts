// Prints the answers to `rollcall incident …`, `why` and `replay`: lists incidents, says what a command did, and
// tells the story of one incident in the words of its page. The times are in the zone of its job.

import type { Cause } from "../../domain/monitor/incident.ts";
import { visibleText } from "../../domain/text.ts";
import { causesInWords, troublesInWords } from "../../domain/wording/causes.ts";
import { span } from "../../domain/wording/short-time.ts";
import { byPerson } from "../../domain/wording/since-words.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import { incidentStanding, incidentState, keptByPagersInWords } from "../../views/rows/incident-rows.ts";
import type { IncidentStory } from "../../views/schemas/incident-schemas.ts";
import { incidentEntries, STORY_SHORTENED, storyEndInWords, whyStoryEntries } from "../../views/story.ts";
import type { Screen } from "../asking/ask-service.ts";
import { isNarrowed, olderOnes, type Screens } from "./presenter.ts";
import { textOfParts } from "./row-lines.ts";
import {
  headIn,
  printedMinute,
  printedMoment,
  printedMonitorLabel,
  printedShortText,
  printedTime,
  spokenSentence,
  withPlainSpaces,
} from "./spoken.ts";
import { storyLines } from "./story-lines.ts";
import { formatText, ownerCell, say, type TableRow } from "./table.ts";

type ListedIncident = Answer<"incident list">["incidents"][number];

export const INCIDENT_SCREENS: Screens = {
  "incident list": {
    items: ({ incidents }) => incidents,
    none: (asked) => {
      if (isNarrowed(asked)) return `there are no such incidents${asked.open ? " open" : ""}`;
      return asked.open ? "no incident is open" : "there are no incidents";
    },
    rows: ({ incidents }, screen) => incidents.map((incident) => incidentRow(incident, screen)),
    beside: ({ incidents, more }) => olderOnes(incidents.length, more),
  },
  "incident ack": ({ answer: { changed, incident }, asked, screen, io }) => {
    const { acknowledgedAt, acknowledgedBy } = incident;
    const which = toldAs(incident, asked);
    if (!changed) {
      const at = printedMoment(acknowledgedAt!, screen);
      return io.out(withPlainSpaces(`${which} was acknowledged already${byPerson(acknowledgedBy)}, at ${at}`));
    }
    io.out(`acknowledged ${which} of ${printedMonitorLabel(incident, screen)}`);
    say(io, "no more reminders; a new cause and the recovery are still told");
  },
  "incident unack": ({ answer: { changed, incident, pagers }, asked, screen, io }) => {
    const which = toldAs(incident, asked);
    if (!changed) return io.out(`${which} is not acknowledged`);
    io.out(`took back the acknowledgement of ${which} of ${printedMonitorLabel(incident, screen)}`);
    say(io, "its reminders go on, and what the acknowledgement held back is told");
    if (pagers.length > 0) say(io, keptByPagersInWords(pagers));
  },
  "incident ack-all": ({ answer: { acknowledged, left }, io }) => {
    io.out(`acknowledged ${counted(acknowledged, "incident")}`);
    if (left > 0) say(io, `${left} are open still: do it again`);
  },
  "incident resolve": ({ answer: { changed, incident, status }, asked, screen, io }) => {
    const { id, closedAt } = incident;
    if (!changed) {
      const since = printedMoment(closedAt!, screen);
      return io.out(withPlainSpaces(`incident ${id} is closed already, since ${since}: ${storyEndInWords(incident)}`));
    }
    io.out(`closed ${toldAs(incident, asked)} of ${printedMonitorLabel(incident, screen)}, which is ${status} now`);
    say(io, "the recovery is told; whether the job works shows with its next report");
  },
  why: {
    lines: (why, serverScreen) => {
      const screen = { ...serverScreen, timezone: why.timezone };
      const head = `${visibleText(why.name)} ${spokenSentence(why.now, screen)}.`;
      return [...formatText(head, screen.width), ...storyLines(whyStoryEntries(why), screen)];
    },
  },
  replay: {
    lines: ({ timezone, from, to, reports, alarms, asItIs, listed, ...job }, serverScreen) => {
      const screen = { ...serverScreen, timezone };
      const head =
        `${printedMonitorLabel(job, screen)}, from ${printedMoment(from, screen)} to ${printedMoment(to, screen)}, ${counted(reports, "report")}: ` +
        `${counted(alarms, "alarm")} under these settings, ${asItIs} as it is.`;
      const lines = listed.map(({ openedAt, closedAt, causes }) => {
        const end = closedAt === null ? "open still" : `for ${span(closedAt - openedAt)}`;
        return `${printedMoment(openedAt, screen)}, ${end}: ${causesInWords(causes as Cause[])}`;
      });
      const more = alarms > listed.length ? [`The newest ${listed.length} of them:`] : [];
      return [...formatText(head, screen.width), ...more, ...lines];
    },
  },
  "incident show": {
    lines: (story, screen) => incidentLines(story, { ...screen, timezone: story.timezone }),
  },
};

/**
 * Names an incident. A message may have named an earlier incident instead, whose number the person then typed (R38):
 * `incident 8 (told as 7)`.
 */
const toldAs = ({ id }: { readonly id: number }, asked: { readonly id?: number }): string =>
  `incident ${id}${asked.id === id ? "" : ` (told as ${asked.id})`}`;

const MESSAGE_SHOWN = 60;

const incidentRow = (incident: ListedIncident, screen: Screen): TableRow => ({
  ID: String(incident.id),
  ...ownerCell(screen, incident.application),
  MONITOR: incident.key,
  [headIn(screen, "OPENED")]: printedMinute(incident.openedAt, screen),
  CAUSE: troublesInWords(incident),
  STATE: textOfParts(incidentState(incident), screen),
  MESSAGE: incident.message === null ? "-" : printedShortText(incident.message, MESSAGE_SHOWN),
});

function incidentLines(story: IncidentStory, screen: Screen): string[] {
  const { incident, isWhole, now, unnotified } = story;
  const newest = story.notified.findLast(({ kind }) => kind !== "Acknowledged");
  return [
    ...formatText(
      incident.closedAt === null
        ? `${visibleText(incident.name)} ${spokenSentence(now, screen)}.`
        : (newest?.story[0] ?? `${incident.name}: ${troublesInWords(incident)}.`),
      screen.width,
    ),
    ...formatText(aboutOf(story, screen), screen.width),
    ...(unnotified.length === 0 ? [] : formatText(`${spokenSentence(unnotified, screen)}.`, screen.width)),
    ...(incident.closedAt === null && newest !== undefined ? formatText(newest.toDo, screen.width) : []),
    ...(isWhole ? [] : formatText(STORY_SHORTENED, screen.width)),
    ...storyLines(incidentEntries(story, screen.now), screen),
  ];
}

function aboutOf({ incident }: IncidentStory, screen: Screen): string {
  const { id, openedAt } = incident;
  return `Incident ${id} of ${printedMonitorLabel(incident, screen)}, opened ${printedTime(openedAt, screen)}; ${textOfParts(incidentStanding(incident), screen)}.`;
}

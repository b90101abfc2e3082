// `rollcall incident show`: the story of an incident for people, in the words of its page and in the zone of its job.

import { visible } from "../../domain/text.ts";
import {
  arrivalInWords,
  endedInWords,
  incidentEntries,
  NOBODY_TOLD,
  reportedInWords,
  STORY_SHORTENED,
} from "../../domain/wording/incident-story.ts";
import { byPerson } from "../../domain/wording/since.ts";
import { troublesInWords } from "../../domain/wording/subject.ts";
import type { WrittenAnswer } from "../../engine/operations/operations.ts";
import type { Screen } from "../asking/ask-service.ts";
import { outputLines } from "./output-lines.ts";
import type { Presenter } from "./presenter.ts";
import { age, clockTime, sentence, time, unbroken } from "./spoken.ts";
import { formatFacts, formatText } from "./table.ts";

type WrittenIncident = WrittenAnswer<"incident show">;

export const incidentShow: Presenter<"incident show"> = {
  kind: "thing",
  lines: (written, screen) => linesOf(written, { ...screen, timezone: written.timezone }),
};

const instantOf = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

/** Its times as instants again. */
const held = ({ incident, notified, reports }: WrittenIncident) => ({
  incident: {
    ...incident,
    openedAt: Date.parse(incident.openedAt),
    closedAt: instantOf(incident.closedAt),
    acknowledgedAt: instantOf(incident.acknowledgedAt),
  },
  notified: notified.map((message) => ({ ...message, at: Date.parse(message.at) })),
  reports: reports.map((report) => ({ ...report, at: Date.parse(report.at) })),
});

type HeldStory = ReturnType<typeof held>;
type Event = ReturnType<typeof incidentEntries<HeldStory["reports"][number], HeldStory["notified"][number]>>[number];

function linesOf(written: WrittenIncident, screen: Screen): string[] {
  const { incident, isWhole } = written;
  const story = held(written);
  const newest = story.notified.findLast(({ kind }) => kind !== "Acknowledged");
  const events = incidentEntries(story).map((event) => ({ event, clock: clockTime(event.at, screen) }));
  return [
    ...formatText(
      incident.closedAt === null
        ? `${visible(incident.name)} ${sentence(written.now, screen)}.`
        : (newest?.story[0] ?? `${incident.name}: ${troublesInWords(incident)}.`),
      screen.width,
    ),
    ...formatText(aboutOf(written, story, screen), screen.width),
    ...(incident.closedAt === null && newest !== undefined ? formatText(newest.toDo, screen.width) : []),
    ...(isWhole ? [] : formatText(STORY_SHORTENED, screen.width)),
    ...[...Map.groupBy(events, ({ clock: [day] }) => day)].flatMap(([day, ofDay]) => [
      "",
      `${day} ${screen.timezone}`,
      ...ofDay.flatMap(({ event, clock: [, clock] }) => formatFacts(besideTime(clock, textsOf(event, screen)), screen)),
    ]),
  ];
}

function aboutOf({ incident }: WrittenIncident, story: HeldStory, screen: Screen): string {
  const { id, application, key, openedAt, closedAt, acknowledgedAt, acknowledgedBy, remindAt } = incident;
  const stands =
    closedAt !== null
      ? endedInWords(story.incident)
      : acknowledgedAt !== null
        ? `acknowledged${byPerson(acknowledgedBy)} ${unbroken(age(acknowledgedAt, screen))}`
        : remindAt === null
          ? "open, no more reminders"
          : `open, next reminder ${unbroken(age(remindAt, screen))}`;
  const owner = screen.onlyApplication ? key : `${application}/${key}`;
  return `Incident ${id} of ${owner}, opened ${time(openedAt, screen)}; ${stands}.`;
}

/** The time stands beside the first alone. */
const besideTime = (clock: string, texts: readonly string[]) =>
  texts.map((text, place) => [place === 0 ? clock : "", text] as const);

/** The paragraphs of an event. */
function textsOf(event: Event, screen: Screen): string[] {
  switch (event.kind) {
    case "acted":
      return [event.words];
    case "report":
      return [
        reportedInWords(event.report),
        ...quoted(event.report.message),
        ...(event.report.output === null ? [] : outputLines(event.report.output)),
      ];
    case "notified": {
      const { state, story, deliveries } = event.message;
      const addresses = deliveries.map((delivery) => `${addressOf(delivery)}: ${arrivedOf(delivery, screen)}`);
      return [
        `${state}. ${story.join(" ")}`,
        ...quoted(event.quote),
        ...(deliveries.length === 0 ? [NOBODY_TOLD] : addresses),
      ];
    }
    default:
      return event satisfies never;
  }
}

const quoted = (message: string | null): string[] =>
  message === null || message === "" ? [] : message.split("\n").map((line) => `> ${line}`);

type DeliveredLine = WrittenIncident["notified"][number]["deliveries"][number];

const addressOf = ({ destination, recipient }: DeliveredLine): string =>
  recipient === null ? destination : `${recipient} (${destination})`;

function arrivedOf(delivery: DeliveredLine, screen: Screen): string {
  const [before, after] = arrivalInWords(delivery);
  const at = delivery.finishedAt === null ? "" : ` ${clockTime(Date.parse(delivery.finishedAt), screen)[1]}`;
  return `${before}${at}${after}`;
}

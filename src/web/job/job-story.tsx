// The story of a job in time order, newest first: its head, by which it is narrowed and searched, and its entries.

import type { Instant } from "../../domain/time.ts";
import { type JobStory, STORY_PARTS, type StoryAsked, type StoryEntry } from "../../views/job-story.ts";
import { StoryDays } from "../incidents/story-page.tsx";
import { addressOf, numberIn, oneOf, textIn } from "../list-query.ts";
import { dayOf } from "../parts/moment.tsx";
import { Chips, Further, SearchField, ShowButton } from "../parts/narrow.tsx";
import { type JobAddress, jobPath } from "../paths.ts";
import { shownLines } from "../shown.ts";
import { type StoryZones, zonesInWords } from "../zone.ts";
import { Event, type ToldEntry, together } from "./event.tsx";

const WORDS: Readonly<Record<StoryQuery["part"], string>> = {
  all: "All",
  runs: "Runs",
  incidents: "Incidents and messages",
  changes: "Changes",
  reports: "Reports",
};

type StoryHeadProps = Readonly<{ job: JobAddress; query: StoryQuery }>;

export const StoryHead = ({ job, query }: StoryHeadProps) => (
  <div id="story" class="story-head">
    <h2 class="group-head">Story</h2>
    <div class="filters">
      <Chips
        label="What of its story"
        of={STORY_PARTS}
        words={WORDS}
        chosen={query.part}
        path={(part) => `${storyPath(job, { part, find: "", before: null })}#story`}
      />
      <form class="find" method="get" action={`${jobPath(job)}#story`}>
        <SearchField label="Search its reports" hint="Search its reports" text={query.find} />
        <ShowButton />
      </form>
    </div>
  </div>
);

/** Events that a person is shown who asked for none of them. */
const OPEN = 8;

const isWholeStory = ({ part, find, before }: StoryQuery): boolean => part === "all" && find === "" && before === null;

type JobStoryProps = StoryHeadProps & Readonly<{ story: JobStory; zones: StoryZones }>;

export const StoryEvents = ({ job, query, story: { entries, older, isWhole }, zones }: JobStoryProps) => {
  const said = unrepeated(entries);
  const days = Map.groupBy(said, ({ at }) => dayOf(at, zones.timezone));
  const shown = query.part === "all" ? [...days.values()].flatMap(together) : said;
  return (
    <section id="job-story" class="incident-story" aria-label="Story">
      <p class={entries.length > 0 ? "note" : "nothing"}>
        {entries.length > 0 ? zonesInWords(zones) : nothingIn(query)}
      </p>
      <StoryDays events={shown} {...(isWholeStory(query) ? { open: OPEN } : {})} {...zones} what={Event} />
      {isWhole || older !== null ? null : (
        <p class="nothing">Reports from before are too many to look through, or not kept.</p>
      )}
      <Further
        newest={query.before === null ? null : `${storyPath(job, { ...query, before: null })}#story`}
        older={older === null ? null : `${storyPath(job, { ...query, before: older })}#story`}
      />
    </section>
  );
};

function nothingIn({ find, before, part }: StoryQuery): string {
  if (find !== "") return `No report says “${find}”.`;
  return before === null && part === "all" ? "Nothing has happened since it was created." : "Nothing is known here.";
}

/** A message does not repeat what a report said that stands here too. Of the kept output the newest stands open. */
function unrepeated(entries: readonly StoryEntry[]): ToldEntry[] {
  const said = new Set(entries.map((event) => (event.kind === "report" ? shownLines(event.report.message ?? "") : "")));
  const newest = entries.find((event) => event.kind === "report" && event.report.output !== null);
  return entries.map((event) =>
    event.kind === "notified" && said.has(event.message.quote ?? "")
      ? { ...event, message: { ...event.message, quote: null } }
      : event.kind === "report"
        ? { ...event, isNewestOutput: event === newest }
        : event,
  );
}

// What the address of a job's page asks of its story: which part, which text, from when on. Everything that is not
// understood is left out.

export interface StoryQuery extends Pick<StoryAsked, "part" | "find"> {
  /** Null: from the newest on. */
  readonly before: Instant | null;
}

export const WHOLE_STORY: StoryQuery = { part: "all", find: "", before: null };

export function readStoryQuery(search: URLSearchParams): StoryQuery {
  const find = textIn(search, "find");
  // Only what jobs say is searched.
  const part = find === "" ? oneOf(STORY_PARTS, search, "story") : "reports";
  return { part, find, before: numberIn(search, "before") };
}

export const storyPath = (job: JobAddress, { part, find, before }: StoryQuery): string =>
  addressOf(jobPath(job), { story: [part, STORY_PARTS], find, before });

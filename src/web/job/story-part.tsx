// Draws the story of a job, the newest entry first. Above the entries are links that narrow the story and a search.

import type { Instant } from "../../domain/time.ts";
import { dayOf } from "../../domain/wording/moments.ts";
import { span } from "../../domain/wording/short-time.ts";
import { type JobStory, STORY_PARTS, type StoryAsked } from "../../views/job-story.ts";
import type { PastEntry } from "../../views/story.ts";
import { numberParameter, pathWithQuery, textParameter, wordParameter } from "../list-query.ts";
import { Chips, Further, SearchField, ShowButton } from "../parts/narrow.tsx";
import { StoryDays } from "../parts/story-days.tsx";
import { bandsOfAlikeEntries } from "../parts/time-bands.ts";
import { type JobAddress, jobPath } from "../paths.ts";
import { type ViewerZones, viewerZonesInWords } from "../viewer-zone.ts";

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

/** How many entries of the story are shown before a person asks for the earlier ones. */
const OPEN = 8;

const isWholeStory = ({ part, find, before }: StoryQuery): boolean => part === "all" && find === "" && before === null;

type JobStoryProps = StoryHeadProps & Readonly<{ story: JobStory; zones: ViewerZones; now: Instant }>;

export const StoryEvents = ({ job, query, story: { entries, older, isWhole }, zones, now }: JobStoryProps) => {
  const days = Map.groupBy(entries, ({ at }) => dayOf(at, zones.timezone));
  const shown = query.part === "all" ? [...days.values()].flatMap(joinedEntries) : entries;
  return (
    <section id="job-story" class="incident-story" aria-label="Story">
      <p class={entries.length > 0 ? "note" : "nothing"}>
        {entries.length > 0 ? viewerZonesInWords(zones) : nothingIn(query)}
      </p>
      <StoryDays entries={shown} now={now} {...(isWholeStory(query) ? { open: OPEN } : {})} {...zones} />
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

// Joins successive successes, or successive misses, into one entry, so that what was unusual stands out.

/** Successive entries are joined when there are at least this many; fewer are shown one by one. */
const JOINED_FROM = 3;

/** Joins successive entries of one kind into one entry. `entries` are those of one day, the newest first. */
const joinedEntries = (entries: readonly PastEntry[]): PastEntry[] =>
  bandsOfAlikeEntries(entries, joinableResult).flatMap(({ kind, entries: row }) => {
    if (kind === null || row.length < JOINED_FROM) return [...row];
    return [kind === "succeeded" ? successesOf(row) : missesOf(row)];
  });

/**
 * The result of an entry that says nothing besides its result, so that it may be joined with the entries beside it.
 * `null` for any other entry.
 */
function joinableResult({ result, heardAt, quote, notes, says }: PastEntry): "succeeded" | "missed" | null {
  if (result === "missed") return says.length === 1 ? result : null;
  return result === "succeeded" && heardAt === null && quote === null && notes.length === 0 ? result : null;
}

const missesOf = (row: readonly PastEntry[]): PastEntry => ({
  ...row[0]!,
  says: [`Missed ${row.length} times since `, { at: row.at(-1)!.at, as: "clock" }],
});

function successesOf(row: readonly PastEntry[]): PastEntry {
  const known = row.flatMap(({ took }) => took ?? []);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const range = `, each after ${span(least)}${least === most ? "" : ` to ${span(most)}`}`;
  const since = { at: row.at(-1)!.at, as: "clock" } as const;
  const says = [`Succeeded ${row.length} times since `, since, known.length === row.length ? range : ""];
  return { ...row[0]!, says, aside: "", took: null };
}

// Reads what the address of a job's page asks of the story: which part, which text, and before which time. Any other
// parameter or value is ignored.

export interface StoryQuery extends Pick<StoryAsked, "part" | "find"> {
  /** Only what happened before this time is shown; `null` to show the newest, too. */
  readonly before: Instant | null;
}

export const WHOLE_STORY: StoryQuery = { part: "all", find: "", before: null };

export function readStoryQuery(search: URLSearchParams): StoryQuery {
  const find = textParameter(search, "find");
  // With a search only reports are shown, because only their messages are searched.
  const part = find === "" ? wordParameter(STORY_PARTS, search, "story") : "reports";
  return { part, find, before: numberParameter(search, "before") };
}

export const storyPath = (job: JobAddress, { part, find, before }: StoryQuery): string =>
  pathWithQuery(jobPath(job), { story: [part, STORY_PARTS], find, before });

// What the address of a job's page asks of its story: which part, which text, from when on. Everything that is not
// understood is left out.

import type { Instant } from "../../domain/time.ts";
import { STORY_PARTS, type StoryAsked } from "../../views/job-story.ts";
import type { OneJob } from "../acts/acts.ts";
import { addressOf, numberIn, oneOf, textIn } from "../list-query.ts";
import { jobPath } from "../paths.ts";

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

/** The page's address without what is as usual. */
export const storyPath = (job: OneJob, { part, find, before }: StoryQuery): string =>
  addressOf(jobPath(job), { story: [part, STORY_PARTS], find, before });

// What the address of a job's page asks of its story: which part, which text, from when on. Everything that is not
// understood is left out.

import type { Instant } from "../../domain/time.ts";
import { STORY_PARTS, type StoryAsked } from "../../views/job-story.ts";
import type { OneJob } from "../acts/acts.ts";
import { jobPath } from "../paths.ts";

export interface StoryQuery extends Pick<StoryAsked, "part" | "find"> {
  /** Null: from the newest on. */
  readonly before: Instant | null;
}

export const WHOLE_STORY: StoryQuery = { part: "all", find: "", before: null };

const FIND_LENGTH = 200;

export function readStoryQuery(search: URLSearchParams): StoryQuery {
  const before = Number(search.get("before"));
  const find = (search.get("find") ?? "").trim().slice(0, FIND_LENGTH);
  const part = STORY_PARTS.find((one) => one === search.get("story")) ?? STORY_PARTS[0];
  return {
    // Only what jobs say is searched.
    part: find === "" ? part : "reports",
    find,
    before: Number.isSafeInteger(before) && before > 0 ? before : null,
  };
}

/** The page's address without what is as usual. */
export function storyPath(job: OneJob, { part, find, before }: StoryQuery): string {
  const search = new URLSearchParams({
    ...(part === STORY_PARTS[0] ? {} : { story: part }),
    ...(find === "" ? {} : { find }),
    ...(before === null ? {} : { before: String(before) }),
  }).toString();
  return search === "" ? jobPath(job) : `${jobPath(job)}?${search}`;
}

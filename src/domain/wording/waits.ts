// Says why a message waits. The words stand behind the time until which it waits (R38). Pure.

import type { WhyDue } from "../telling/plan.ts";

/** The reason for each kind of wait; `null` where the time alone is enough. */
const WAITS_FOR: Readonly<Record<WhyDue | "acknowledged", string | null>> = {
  now: null,
  quiet: "quiet hours",
  after: "unless someone acknowledges it",
  well: "once the job stays well",
  behind: "an earlier message goes first",
  paused: "the job is paused",
  // Once its incident is acknowledged, the message does not wait any more.
  acknowledged: null,
};

/** The words that follow the time until which a message waits, such as `: quiet hours`; empty when none are needed. */
export function waitReasonInWords(why: WhyDue | "acknowledged" | null): string {
  const words = why === null ? null : WAITS_FOR[why];
  return words === null ? "" : `: ${words}`;
}

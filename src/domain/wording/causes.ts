// What each cause of trouble and each kind of message is called: one row for each, so that subjects, stories, digests
// and lists use the same words.

import type { AlertKind } from "../message/alert.ts";
import type { Cause } from "../monitor/incident.ts";

interface CauseWords {
  readonly title: string;
  /** What the job did, behind its name or a number of jobs. */
  readonly did: string;
  readonly happened: string;
  readonly check: string;
}

/** In the order in which digests say them. */
export const CAUSES: Record<Cause, CauseWords> = {
  missed: {
    title: "Missed",
    did: "did not report",
    happened: "no report came when one was expected",
    check: "Check that its machine and its scheduler are up.",
  },
  failed: {
    title: "Failed",
    did: "reported a failure",
    happened: "it reported a failure",
    check: "Read its log.",
  },
  unfinished: {
    title: "Not finished",
    did: "did not finish",
    happened: "a run did not end in its time",
    check: "Check whether it hangs or was killed.",
  },
  outcome: {
    title: "Wrong result",
    did: "had a wrong result",
    happened: "a result was not what was expected",
    check: "Check what it produced before anything relies on it.",
  },
};

/** `it reported a failure, then no report came when one was expected`. */
export const causesInWords = (causes: readonly Cause[]): string =>
  causes.map((cause) => CAUSES[cause].happened).join(", then ");

/**
 * A message's kind, where only that is known of it, as in lists of messages. A kind of a later version stands as it is.
 */
export const alertTitle = (kind: string): string => (Object.hasOwn(TITLES, kind) ? TITLES[kind as AlertKind] : kind);

const TITLES: Record<AlertKind, string> = {
  InitialFailure: "Trouble began",
  NeverExecuted: "Never reported",
  ContinuedFailure: "Trouble goes on",
  Acknowledged: "Acknowledged",
  Recovered: "Trouble ended",
};

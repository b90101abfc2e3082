// Tells whether an alert would reach a person now: whether it has a destination, and whether one of them takes
// messages.

import type { Instant } from "../time.ts";
import { momentInWords } from "../wording/moments.ts";
import { reachOf } from "./alert-routes.ts";
import { applicationPolicy, type MonitorPolicy, type Policy } from "./policy.ts";

/**
 * Destinations whose last attempt failed for every message: how it ended, and when the first of these failures was.
 * `remembered` is set when an earlier process made that attempt.
 */
export type Failing = ReadonlyMap<
  string,
  { readonly answer: string; readonly since: Instant; readonly remembered?: true }
>;

/** The stored failure of a destination. `answer` is the answer to the last attempt, or `null` when it did not fail. */
export interface DestinationFailure {
  readonly since: Instant;
  readonly answer: string | null;
  /** True when something must be repaired before messages can be taken. */
  readonly blocked: boolean;
}

/**
 * For whom the reasons are. Only the people who run rollcall (`operator`) learn the names of destinations and the
 * answers of their services.
 */
export type ReachedAudience = "operator" | "anyone";

/** Why an alert of this monitor would reach no person now (R36); `null` when it would reach a person. */
export function unreachable(
  policy: MonitorPolicy,
  failing: Failing,
  audience: ReachedAudience,
  now: Instant,
): string | null {
  const { names, isLeftOut } = reachOf(policy, now);
  if (names.size === 0) return isLeftOut ? LEFT_OUT : "no destination is configured for them";
  if (failing.size === 0 || [...names].some((name) => !failing.has(name))) return null;
  if (audience === "anyone") return "no destination takes them, and rollcall's log says why";
  return [...names].map((name) => `${name} does not take them (${failureInWords(failing.get(name)!)})`).join(", ");
}

const LEFT_OUT = "no destination hears of them";

const failureInWords = ({ answer, since }: NonNullable<ReturnType<Failing["get"]>>): string =>
  `${answer}, since ${momentInWords(since, "UTC")}`;

/**
 * One sentence for each of these applications whose alerts would reach no person now, unless a monitor has its own
 * routes. For `anyone` there is one sentence for each cause. Destinations that take only worse alerts were chosen so
 * and do not count.
 */
export const unheardOf = (
  policy: Policy,
  failing: Failing,
  applications: readonly { readonly slug: string }[],
  audience: ReachedAudience,
  now: Instant,
): string[] => {
  const sentences = applications.flatMap(({ slug }) => {
    const why = unreachable(applicationPolicy(policy, slug), failing, audience, now);
    const whose = audience === "anyone" ? "" : ` of application "${slug}"`;
    return why === null || why === LEFT_OUT ? [] : [`alerts${whose} cannot be delivered: ${why}`];
  });
  return [...new Set(sentences)];
};

// Whether an alert would reach anybody now: whether it has a destination, and whether one of them takes messages.

import type { Instant } from "../time.ts";
import { momentInWords } from "../wording/moments.ts";
import { reachOf } from "./alert-routes.ts";
import { applicationPolicy, type MonitorPolicy, type Policy } from "./policy.ts";

/**
 * Destinations whose last attempt failed for every message: with what it ended, and when the first of these failed.
 * `remembered`: that attempt was an earlier process's.
 */
export type Failing = ReadonlyMap<
  string,
  { readonly answer: string; readonly since: Instant; readonly remembered?: true }
>;

/** What is stored of a failing destination. `answer`: to the last attempt; null: that said nothing against it. */
export interface DestinationFailure {
  readonly since: Instant;
  readonly answer: string | null;
  /** That answer wants something repaired. */
  readonly blocked: boolean;
}

/** Only the people who run rollcall may know the names of destinations and what their receivers answered. */
export type ReachedAudience = "operator" | "anyone";

/** Why an alert of this monitor would reach no one now (R36); null when it would reach a person. */
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
 * A sentence for each of these applications whose alerts would reach no one now, unless a monitor's go elsewhere;
 * for anyone, one for each cause. That its destinations hear only of worse was someone's choice.
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

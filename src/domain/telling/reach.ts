// Tells whether an alert would reach a person now: whether it has a destination that takes messages.

import { reachOf } from "../settings/alert-routes.ts";
import { applicationPolicy, type MonitorPolicy, type Policy } from "../settings/policy.ts";
import type { Instant } from "../time.ts";
import { momentInWords } from "../wording/moments.ts";

/**
 * The destinations that take no message at present, by name. One that refused a single message is not among them.
 * `answer` says how the last attempt failed, and `since` is when these failures began. `remembered` is set when an
 * earlier process made that attempt.
 */
export type Failing = ReadonlyMap<
  string,
  { readonly answer: string; readonly since: Instant; readonly remembered?: true }
>;

/** `answer` is how the last attempt failed; `null` when the destination works again but has taken no message yet. */
export interface DestinationFailure {
  readonly since: Instant;
  readonly answer: string | null;
  /** True when a person must repair something before the destination can take messages. */
  readonly blocked: boolean;
}

/**
 * Who reads why alerts reach no one. Only `operator`, who runs rollcall, may see destinations and what their services
 * answered.
 */
export type ReachedAudience = "operator" | "anyone";

/** Why no alert of this monitor would reach a person now (R36); `null` when one would. */
export function whyUnreachable(
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
 * One sentence for each application whose alerts would reach no person now. Lists of destinations for single monitors
 * are not looked at. When `audience` is `anyone`, the reader may not learn the names of applications: no sentence has
 * one, and equal sentences come once. An application is left out when destinations exist, but take only other alerts,
 * for example those of a higher severity. A person chose that.
 */
export const unheardOf = (
  policy: Policy,
  failing: Failing,
  applications: readonly { readonly slug: string }[],
  audience: ReachedAudience,
  now: Instant,
): string[] => {
  const sentences = applications.flatMap(({ slug }) => {
    const why = whyUnreachable(applicationPolicy(policy, slug), failing, audience, now);
    const whose = audience === "anyone" ? "" : ` of application "${slug}"`;
    return why === null || why === LEFT_OUT ? [] : [`alerts${whose} cannot be delivered: ${why}`];
  });
  return [...new Set(sentences)];
};

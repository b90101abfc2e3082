// Makes the domain's `Policy`, and warns of alerts that reach no one. The domain decides which setting wins (R31, R38).

import { createHash } from "node:crypto";
import { versionOneRateLimits } from "../domain/rate-limit.ts";
import { reachOf, teamRoutes } from "../domain/settings/alert-routes.ts";
import {
  type DestinationRules,
  monitorPolicy,
  nearestTierValue,
  type Policy,
  severityOf,
} from "../domain/settings/policy.ts";
import { parseRotaSince } from "../domain/telling/rota.ts";
import type { Config } from "./all-keys.ts";
import { CHANNELS } from "./channel-keys.ts";
import { configuredRotas, type SendingDestination, sendingIn } from "./destination-keys.ts";
import type { ConfigPlace } from "./place.ts";

/** The time zones that do not come from the configuration (R13). */
export interface Home {
  /** The zone that was found and stored at the first start; `null` when none was found. */
  readonly timezone: string | null;
  readonly machineTimezone: string | null;
}

const NOWHERE: Home = { timezone: null, machineTimezone: null };

export const policyOfConfig = (config: Config, home: Home = NOWHERE): Policy => ({
  timezone: config.server.timezone ?? home.timezone ?? "UTC",
  machineTimezone: home.machineTimezone,
  reminders: {
    after: config.alerts.continuedAfter,
    every: config.alerts.continuedEvery,
    max: config.alerts.continuedMax,
  },
  report: config.alerts.report,
  rateLimits: versionOneRateLimits(config.limits.v1PerMinute, config.limits.v1PerHour),
  team: config.team,
  destinations: new Map(sendingIn(config.destinations).map(([name, destination]) => [name, rulesOf(destination)])),
  rotas: new Map(
    configuredRotas(config.destinations).map(({ hears = {}, ...rota }) => [
      rota.name,
      { name: rota.name, turns: rota.turns, since: parseRotaSince(rota.since)!, hears },
    ]),
  ),
  applications: config.applications,
  labels: config.labels,
});

function rulesOf(destination: SendingDestination): DestinationRules {
  const { takes } = CHANNELS[destination.type];
  const { hears, answers } = destination;
  const more = { ...(hears !== undefined && { hears }), ...(answers !== undefined && { answers }) };
  if (takes !== "mail") return { takes, ...more };
  return { takes, recipients: "to" in destination ? destination.to : null, ...more };
}

/**
 * The address at which people elsewhere open the dashboard. `null` when there is no dashboard, when it listens at an
 * address of its own, or when the public address is not configured.
 */
export const dashboardUrl = ({ server, web }: Pick<Config, "server" | "web">): string | null =>
  web !== null && web.listen === null ? server.publicUrl : null;

/** Warns when there is a mail server but no recipient, or when the team has members but no mail server. */
export function warnOfHalfMail({ smtp, team, destinations }: Config, at: ConfigPlace): void {
  const mailed = [...destinations.values()].some((each) => "to" in each && each.to !== null);
  if (smtp !== null && team.members.length === 0 && !mailed)
    at.warn(["smtp"], "has nobody to write to", 'must have [[team.members]], or a destination of type "email" with to');
  if (smtp === null && team.members.length > 0)
    at.warn(["team", "members"], "get no mail, because no server takes it", "must have [smtp] with host and from");
}

/** Whether all destinations in `named` send mail and the team has no members: `warnOfHalfMail` warns of that. */
const isMailToNobody = ({ team, destinations }: Policy, named: readonly string[]): boolean =>
  team.members.length === 0 && named.every((name) => destinations.get(name)?.takes === "mail");

/**
 * Warns of alerts that reach no one: destinations are named for them, but each of these takes only other alerts (R38).
 * It also warns when none of the team's destinations hears of notices.
 */
export function warnOfUnheard(policy: Policy, at: ConfigPlace): void {
  // There is no warning until the configuration says something about alerts.
  if (!["team", "destinations", "applications"].some((name) => at.isWritten([name]))) return;
  const monitors = [...policy.applications].flatMap(([slug, rules]) =>
    [...rules.monitors.keys()].map((key) => ({ slug, key, path: ["applications", slug, "monitors", key] })),
  );
  const applications = [...policy.applications.keys()].map((slug) => ({ slug, key: "", path: ["applications", slug] }));
  for (const { slug, key, path } of [{ slug: "", key: "", path: ["team"] }, ...applications, ...monitors]) {
    const its = monitorPolicy(policy, slug, key);
    const named = nearestTierValue(its, "destinations") ?? [];
    if (named.length === 0) continue;
    const isHeard = reachOf(its, null).names.size > 0;
    if (isHeard && path[0] === "team" && teamRoutes(policy, 0).length === 0)
      at.warn([...path, "destinations"], "has none that hears of notices and reports", "must name one without after");
    if (isHeard || isMailToNobody(policy, named)) continue;
    const what = `has alerts (${severityOf(its)}) of which none of ${named.join(", ")} hears`;
    at.warn([...path, "destinations"], what, "must name one whose severity, environments and members take them");
  }
}

// The following detects after a restart that the settings of a destination have changed (R36). It stores a few digits
// of a hash of the settings, which miss one change in a million. More digits would help to guess passwords, because
// people copy and back up the file that holds the digits.

/** How many hexadecimal digits of the hash are stored. Five are 20 bits. */
const DIGITS = 5;

/**
 * Returns the digits of the hash for each destination, by its name. The hash covers its settings, the mail server if it
 * sends mail, and the settings of rotas in which it takes turns. It does not cover the name.
 */
export const destinationFingerprints = ({ destinations, smtp }: Config): Map<string, string> =>
  new Map(
    sendingIn(destinations).map(([name, { name: _, ...destination }]) => {
      const rotas = configuredRotas(destinations).flatMap(({ turns, hears }) =>
        turns.includes(name) ? (hears ?? []) : [],
      );
      const own = CHANNELS[destination.type].takes === "mail" ? [destination, smtp] : [destination];
      const settings = [...own, ...rotas];
      return [name, createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, DIGITS)];
    }),
  );

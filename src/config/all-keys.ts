// The one table of all keys of the configuration. Each key has a kind, a default or an example, and a meaning. For each
// key the table also says what the program gets for the value, and what the key needs of other keys. The reader, the
// names of environment variables and the file that `rollcall init` writes are made from this table.

import type Type from "typebox";
import { RAISE_LIMIT, tooSmall, versionOneRateLimits } from "../domain/rate-limit.ts";
import type { ApplicationRules, Routing, Team } from "../domain/settings/policy.ts";
import { APPLICATIONS, LABELS_TABLE } from "./application-keys.ts";
import { configuredRotas, DESTINATIONS } from "./destination-keys.ts";
import { into, table } from "./kinds.ts";
import { isTakenBy, type ListenAddress } from "./network-addresses.ts";
import type { ConfigPlace } from "./place.ts";
import { LIMITS, MAIL_IN, SELF, SERVER, STORAGE, WEB } from "./server-keys.ts";
import { ALERTS, SMTP, TEAM } from "./team-keys.ts";

const TABLES = table(
  {},
  {
    server: SERVER,
    web: WEB,
    storage: STORAGE,
    limits: LIMITS,
    mail_in: MAIL_IN,
    smtp: SMTP,
    team: TEAM,
    alerts: ALERTS,
    destinations: DESTINATIONS,
    labels: LABELS_TABLE,
    applications: APPLICATIONS,
    self: SELF,
  },
);

export const KEYS = into(TABLES, ({ applications: { applications, statusPages }, ...tables }, at) => {
  const { destinations, labels, limits, mailIn, server, team, web } = tables;
  const turns = configuredRotas(destinations).flatMap((rota) => rota.turns);
  warnOfUnused([team, { destinations: turns }], labels, [...applications.values()], at);
  warnOfSmallLimits(limits, applications, at);
  refuseSharedPorts(
    [
      ["server", server],
      ["web", web?.listen ?? null],
      ["mail_in", mailIn],
    ],
    at,
  );
  const oidc = web?.oidc == null ? null : { ...web.oidc, publicUrl: server.publicUrl ?? "" };
  return {
    ...tables,
    web: web === null ? null : { ...web, oidc },
    // Destinations that do not exist are left out of the team's list, such as `email` without [smtp]. If none is left,
    // alerts go nowhere (R36).
    team: { ...team, destinations: team.destinations.filter((name) => destinations.has(name)) } satisfies Team,
    applications: applications satisfies ReadonlyMap<string, ApplicationRules>,
    statusPages,
  };
});

export type Config = Type.Static<typeof KEYS> & {
  /** Every value that must never appear in a log, an error or a page (R40). */
  readonly secrets: ReadonlySet<string>;
};

export type ServerSettings = Config["server"];
export type WebSettings = NonNullable<Config["web"]>;

function warnOfUnused(
  others: readonly Routing[],
  labels: ReadonlyMap<string, Routing>,
  applications: readonly ApplicationRules[],
  at: ConfigPlace,
): void {
  const tiers: Routing[] = [
    ...others,
    ...labels.values(),
    ...applications.flatMap((one) => [one, ...one.monitors.values()]),
  ];
  const used = new Set(tiers.flatMap((tier) => tier.destinations ?? []));
  for (const name of (at.names(["destinations"]) ?? []).filter((one) => !used.has(one)))
    at.warn(
      ["destinations", name],
      "gets no alert, because nothing names it",
      "must stand in the destinations of [team], of a label, an application or a monitor to get some",
    );
}

/** Refuses an address to listen on that another listener takes: the second one could not start. */
function refuseSharedPorts(
  listeners: readonly (readonly [table: string, address: ListenAddress | null])[],
  at: ConfigPlace,
): void {
  for (const [place, [table, address]] of listeners.entries()) {
    const taken = listeners.slice(0, place).find(([, other]) => address && other && isTakenBy(address, other));
    if (taken !== undefined)
      at.complain([table, "listen"], `is taken by ${taken[0]}.listen`, "must be an address with a port of its own");
  }
}

/** Warns when the monitors that the configuration names need more reports than one key may send (R33). */
function warnOfSmallLimits(
  { v1PerMinute, v1PerHour }: Type.Static<typeof LIMITS>,
  applications: ReadonlyMap<string, ApplicationRules>,
  at: ConfigPlace,
): void {
  for (const [slug, { monitors }] of applications) {
    const rhythms = [...monitors.values()].map(({ schedule = null, everySeconds = null }) => ({
      schedule,
      everySeconds,
      monitors: 1,
    }));
    const small = tooSmall(versionOneRateLimits(v1PerMinute, v1PerHour), rhythms);
    if (small !== null)
      at.warn(small.setting.split("."), `is too small for application "${slug}": ${small.words}`, RAISE_LIMIT);
  }
}

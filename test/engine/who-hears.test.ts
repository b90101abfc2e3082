// Who hears what, when and why (R38): eleven configurations, each as `notify explain` says it, and as the alert that
// comes then is written.

import { expect, test } from "bun:test";
import type {
  ApplicationRules,
  DestinationRules,
  Member,
  MonitorRules,
  Routing,
} from "../../src/domain/settings/policy.ts";
import { parseQuiet } from "../../src/domain/telling/hearing.ts";
import type { Rota } from "../../src/domain/telling/rota.ts";
import { DAY, HOUR, type Instant, MINUTE, toIso } from "../../src/domain/time.ts";
import { MESSAGES, TEAM_MAIL } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith } from "../support/engine.ts";
import { granted } from "../support/service.ts";

interface Case {
  readonly what: string;
  readonly destinations: Readonly<Record<string, DestinationRules>>;
  readonly team?: readonly string[];
  readonly members?: readonly Member[];
  readonly prod?: Omit<ApplicationRules, "monitors">;
  readonly job?: MonitorRules;
  readonly labels?: Readonly<Record<string, Routing>>;
  readonly rotas?: readonly Rota[];
  readonly at?: Instant;
  /** By address, what is said. */
  readonly says: Readonly<Record<string, string>>;
  /** By address, from when on it is told; null: at once. Who is not here is not told. */
  readonly told: Readonly<Record<string, Instant | null>>;
}

const NIGHT = [parseQuiet("22:00-07:00")!];
const EVENING = NOON + 11 * HOUR;
const MORNING = NOON + 19 * HOUR;
const ada: Member = { name: "Ada", email: "ada@example.org", events: ["InitialFailure", "Recovered"] };
const bob: Member = { name: "Bob", email: "bob@example.org", events: ["Recovered"] };

const CASES: readonly Case[] = [
  {
    what: "the team's destination, and nothing else said",
    destinations: { chat: MESSAGES },
    says: { chat: "hears of it at once" },
    told: { chat: null },
  },
  {
    what: "a destination that hears of critical alone",
    destinations: { chat: MESSAGES, phone: { ...MESSAGES, hears: { severity: "critical" } } },
    says: { chat: "hears of it at once", phone: "is not told: it hears of critical alone, and this is error" },
    told: { chat: null },
  },
  {
    what: "an application with a destination of its own",
    destinations: { chat: MESSAGES, web: MESSAGES },
    team: ["chat"],
    prod: { destinations: ["web"] },
    says: { chat: "is not told; its alerts go to web", web: "hears of it at once" },
    told: { web: null },
  },
  {
    what: "a label with a destination of its own",
    destinations: { chat: MESSAGES, dba: MESSAGES },
    team: ["chat"],
    job: { labels: "db" },
    labels: { db: { destinations: ["dba"] } },
    says: { chat: "is not told; its alerts go to dba", dba: "hears of it at once" },
    told: { dba: null },
  },
  {
    what: "an environment",
    destinations: { live: { ...MESSAGES, hears: { environments: ["production"] } }, chat: MESSAGES },
    prod: { environment: "staging" },
    says: { chat: "hears of it at once", live: "is not told: it hears of production, and this is of staging" },
    told: { chat: null },
  },
  {
    what: "quiet hours",
    destinations: { phone: { ...MESSAGES, hears: { quiet: NIGHT } } },
    at: EVENING,
    says: { phone: "hears of it when its quiet hours end: Tuesday 07:00" },
    told: { phone: MORNING },
  },
  {
    what: "what is urgent in quiet hours",
    destinations: { phone: { ...MESSAGES, hears: { quiet: NIGHT, urgent: "critical" } } },
    job: { severity: "critical" },
    at: EVENING,
    says: { phone: "hears of it at once, also in its quiet hours" },
    told: { phone: null },
  },
  {
    what: "who hears only of what no one has acknowledged",
    destinations: { boss: { ...MESSAGES, hears: { afterSeconds: 1_200 } }, chat: MESSAGES },
    says: { boss: "hears of it if no one has acknowledged it by 12:20", chat: "hears of it at once" },
    told: { boss: NOON + 20 * MINUTE, chat: null },
  },
  {
    what: "members, and the events they want",
    destinations: { email: TEAM_MAIL },
    members: [ada, bob],
    says: {
      "ada@example.org": "hears of it at once",
      "bob@example.org": "is not told, whose events leave out new trouble",
    },
    told: { "ada@example.org": null },
  },
  {
    what: "a rota, and who is named beside it",
    destinations: { ada: MESSAGES, grace: MESSAGES, chat: MESSAGES },
    team: ["oncall", "chat"],
    rotas: [{ name: "oncall", turns: ["ada", "grace"], since: NOON - 5 * DAY, hears: { quiet: NIGHT } }],
    at: EVENING,
    says: {
      ada: "hears of it when its quiet hours end: Tuesday 07:00; oncall: ada until Wednesday 12:00",
      grace: "is not told: it is not its week; oncall: ada until Wednesday 12:00",
      chat: "hears of it at once",
    },
    told: { ada: MORNING, chat: null },
  },
  {
    what: "no destination at all",
    destinations: { chat: MESSAGES },
    team: [],
    says: { chat: "is not told; its alerts go to no one" },
    told: {},
  },
];

test.each(CASES.map((one) => [one.what, one] as const))("R38: who hears what, when and why: %s", async (_what, one) => {
  const {
    destinations,
    team = Object.keys(destinations),
    members = [],
    prod,
    job,
    labels = {},
    rotas = [],
    at = NOON,
  } = one;
  using service = openService(
    policyWith({
      destinations: new Map(Object.entries(destinations)),
      team: { name: null, destinations: team, members },
      labels: new Map(Object.entries(labels)),
      rotas: new Map(rotas.map((rota) => [rota.name, rota])),
      ...(prod !== undefined && { prod }),
      ...(job !== undefined && { monitors: { job } }),
    }),
  );
  service.at(at);
  await service.send(ping({ schedule: "0 0 29 2 *" }));
  const { addresses } = granted(service.engine.operate("notify explain", { key: "job" }));
  const said = addresses.map(({ destination, recipient, says }) => [
    recipient ?? destination,
    says.map(({ text }) => text).join(""),
  ]);
  expect(Object.fromEntries(said)).toEqual(one.says);
  await service.send(ping({ kind: "fail" }));
  const told = service.store.database
    .query<{ address: string; at: Instant | null }, []>(
      "select coalesce(recipient, destination) as address, iif(due_at = created_at, null, due_at) as at from deliveries order by id",
    )
    .all();
  expect(Object.fromEntries(told.map(({ address, at }) => [address, at && toIso(at)]))).toEqual(
    Object.fromEntries(Object.entries(one.told).map(([address, at]) => [address, at && toIso(at)])),
  );
});

// R38: a rota stands for the destination whose week it is when the alert is written. Over real tables.

import { expect, test } from "bun:test";
import type { DestinationRules } from "../../src/domain/settings/policy.ts";
import { type Hearing, parseQuiet } from "../../src/domain/telling/hearing.ts";
import { receiverRules } from "../../src/domain/telling/receiver-rules.ts";
import { DAY, HOUR, type Instant, MINUTE } from "../../src/domain/time.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { NOTHING_NEW } from "../support/alerts.ts";
import { INCIDENTS, MESSAGES } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

/** NOON is a Monday; its week is ada's, and the next is grace's. */
const MONDAY = NOON - 12 * HOUR;
const HANDOVER = MONDAY + 7 * DAY;

const rotaOf = (name: string, hears: Hearing = {}, turns = ["ada", "grace"]) =>
  [name, { name, turns, since: MONDAY, hears }] as const;

function serviceWith(
  names: readonly string[],
  rotas: readonly (readonly [string, ReturnType<typeof rotaOf>[1]])[] = [rotaOf("oncall")],
  changes: Readonly<Record<string, DestinationRules>> = {},
): Service & { readonly policy: ReturnType<typeof policyWith> } {
  const destinations = new Map(Object.entries({ ada: MESSAGES, grace: MESSAGES, chat: MESSAGES, ...changes }));
  const policy = policyWith({
    team: { name: null, destinations: names, members: [] },
    destinations,
    rotas: new Map(rotas),
    reminders: { after: [2 * HOUR], every: DAY, max: 5 },
  });
  return Object.assign(openService(policy), { policy });
}

async function fail(service: Service, at: Instant, message = "disk full") {
  service.at(at);
  await service.send(ping({ schedule: "0 0 29 2 *" }), ping({ kind: "fail", message }));
}

async function recover(service: Service, at: Instant) {
  service.at(at);
  await service.send(ping());
}

/** Each delivery: what of, where, how long it waits, and why it was not sent. */
const written = ({ store }: Service): string[] =>
  store.database
    .query<{ type: string; destination: string; minutes: number | null; answer: string | null }, []>(
      `select a.type, d.destination, nullif((d.due_at - d.created_at) / 60000, 0) as minutes,
         iif(d.outcome = 'sent', null, d.answer) as answer
       from deliveries d join alerts a on a.id = d.alert_id order by a.id, d.destination`,
    )
    .all()
    .map(({ type, destination, minutes, answer }) =>
      [type.replace("monitor.", ""), destination, minutes === null ? "" : `in ${minutes} min`, answer ?? ""]
        .filter((word) => word !== "")
        .join(" "),
    );

/** All that waits is sent, whenever it is due. */
function allSent({ store }: Service, at: Instant): void {
  store.database.run("update deliveries set next_attempt_at = ?, due_at = min(due_at, ?) where finished_at is null", [
    at,
    at,
  ]);
  const wanted = { now: at, busy: new Set<string>(), limit: 16, each: 16, digests: new Map(), ...NOTHING_NEW };
  const outbox = createOutbox(store.database, () => {});
  const { claimed } = outbox.exchange([], wanted);
  outbox.exchange(
    claimed.map(({ id }) => ({ id, ending: "sent", at, answer: "200" })),
    { ...wanted, limit: 0 },
  );
}

test("R38: an alert goes to whose week it is, and the next week's to the next", async () => {
  using service = serviceWith(["oncall"]);
  await fail(service, HANDOVER - 2 * HOUR);
  await recover(service, HANDOVER - HOUR);
  await fail(service, HANDOVER + HOUR);
  await recover(service, HANDOVER + 2 * HOUR);
  expect(written(service)).toEqual([
    "initial_failure ada",
    "recovered ada",
    "initial_failure grace",
    "recovered grace",
  ]);
});

test("R38: over a handover a reminder goes to the new one, and the end to each who was told", async () => {
  using service = serviceWith(["oncall"]);
  await fail(service, HANDOVER - HOUR);
  allSent(service, HANDOVER - HOUR);
  service.look(HANDOVER + 2 * HOUR);
  expect(written(service)).toEqual(["initial_failure ada", "continued_failure grace"]);
  allSent(service, HANDOVER + 2 * HOUR);
  await recover(service, HANDOVER + 3 * HOUR);
  expect(written(service).slice(2)).toEqual(["recovered ada", "recovered grace"]);
});

test("R38: the end goes to who was told alone, also after the handover", async () => {
  using service = serviceWith(["oncall"]);
  await fail(service, HANDOVER - MINUTE);
  await recover(service, HANDOVER + MINUTE);
  expect(written(service)).toEqual(["initial_failure ada", "recovered ada"]);
});

test("R38: the end follows an alert that waits for the end of quiet hours over the handover", async () => {
  using service = serviceWith(["oncall"], [rotaOf("oncall", { quiet: [parseQuiet("22:00-07:00")!] })]);
  await fail(service, HANDOVER - HOUR);
  await recover(service, HANDOVER + HOUR);
  expect(written(service)).toEqual(["initial_failure ada in 480 min", "recovered ada in 360 min"]);
});

test("R38: what a rota says goes before what its turn says, and the rest is the turn's", async () => {
  const night = [parseQuiet("22:00-07:00")!];
  const ada: DestinationRules = { ...MESSAGES, hears: { quiet: night, severity: "critical" } };
  using service = serviceWith(["oncall"], [rotaOf("oncall", { severity: "error" })], { ada });
  await fail(service, NOON + 11 * HOUR);
  expect(written(service)).toEqual(["initial_failure ada in 480 min"]);
  using calm = serviceWith(["oncall"], [rotaOf("oncall", { severity: "critical" })]);
  await fail(calm, NOON);
  expect(written(calm)).toEqual([]);
});

test("R38: a second rota hears of what no one has acknowledged, and of its end only if it was told", async () => {
  const second = rotaOf("second", { afterSeconds: 1_200 }, ["grace", "ada"]);
  using service = serviceWith(["oncall", "second"], [rotaOf("oncall"), second]);
  await fail(service, NOON);
  expect(written(service)).toEqual(["initial_failure ada", "initial_failure grace in 20 min"]);
  await recover(service, NOON + 10 * MINUTE);
  expect(written(service)).toEqual([
    "initial_failure ada",
    "initial_failure grace in 20 min it was over before this was due",
    "recovered ada",
  ]);
});

test("R38: an acknowledgement takes back what a rota hears later, and nothing that waits for a morning", async () => {
  const night = { ...MESSAGES, hears: { quiet: [parseQuiet("22:00-07:00")!] } };
  const second = rotaOf("second", { afterSeconds: 1_200 }, ["grace", "ada"]);
  using service = serviceWith(["oncall", "second"], [rotaOf("oncall"), second], { ada: night, grace: MESSAGES });
  await fail(service, HANDOVER - 5 * MINUTE);
  service.at(HANDOVER + 5 * MINUTE);
  granted(service.engine.operate("incident ack", { id: 1 }));
  expect(written(service)).toEqual(["initial_failure ada in 425 min", "initial_failure grace in 20 min acknowledged"]);
});

test("R38: after the handover the new one of a rota that hears later is reminded if the old one was told", async () => {
  using service = serviceWith(["oncall"], [rotaOf("oncall", { afterSeconds: 600 })]);
  await fail(service, HANDOVER - HOUR);
  allSent(service, HANDOVER - 50 * MINUTE);
  service.look(HANDOVER + 2 * HOUR);
  expect(written(service)).toEqual(["initial_failure ada in 10 min", "continued_failure grace"]);
});

test("R38: who is named beside a rota that stands for it hears once, and first", async () => {
  for (const names of [
    ["oncall", "ada"],
    ["ada", "oncall"],
  ]) {
    using service = serviceWith(names, [rotaOf("oncall", { afterSeconds: 600 })]);
    await fail(service, NOON);
    expect(written(service)).toEqual(["initial_failure ada"]);
  }
});

test("R23, R38: an acknowledgement goes to the pager that was told, whoever's week it is", async () => {
  using service = serviceWith(["oncall"], [rotaOf("oncall")], { ada: INCIDENTS, grace: INCIDENTS });
  await fail(service, HANDOVER - MINUTE);
  allSent(service, HANDOVER - MINUTE);
  service.at(HANDOVER + MINUTE);
  granted(service.engine.operate("incident ack", { id: 1 }));
  await recover(service, HANDOVER + HOUR);
  expect(written(service)).toEqual(["initial_failure ada", "acknowledged ada", "recovered ada"]);
});

test("R38: a changed turn judges what waits there by its rota", () => {
  using service = serviceWith(["oncall"], [rotaOf("oncall", { afterSeconds: 600 })]);
  const { hearing } = receiverRules(service.policy, { destination: "ada", recipient: null });
  expect([hearing("oncall").afterSeconds, hearing(null).afterSeconds]).toEqual([600, undefined]);
});

test("R38: what waits for who is taken out of a rota is told no earlier for that", async () => {
  const hears: Hearing = { afterSeconds: 600, quiet: [parseQuiet("12:00-14:00")!] };
  using service = serviceWith(["oncall"], [rotaOf("oncall", hears)]);
  await fail(service, NOON);
  service.restart({ ...service.policy, rotas: new Map([rotaOf("oncall", hears, ["grace"])]) });
  service.look(NOON + MINUTE);
  service.endTurns();
  expect(written(service)).toContain("initial_failure ada in 120 min");
});

test("R38: a job and its warning name who is on call, and a test reaches each of the turns", async () => {
  using service = serviceWith(["oncall"]);
  await fail(service, NOON);
  const routed = () => granted(service.engine.operate("monitor show", { key: "job" })).routing.destinations;
  expect(routed()).toEqual(["ada"]);
  service.at(HANDOVER);
  expect(routed()).toEqual(["grace"]);
  const { deliveries } = granted(service.engine.operate("notify test", { destination: "oncall" }));
  expect(deliveries.map(({ destination }) => destination)).toEqual(["ada", "grace"]);
  expect(service.engine.operate("notify test", { destination: "nobody" })).toMatchObject({
    message: expect.stringContaining("these are: ada, grace, chat, oncall"),
  });
});

test.each([
  ["the same trouble", (service: Service) => fail(service, HANDOVER + MINUTE)],
  [
    "another cause",
    async (service: Service) => {
      service.at(HANDOVER + MINUTE);
      await service.send(ping({ kind: "start", maxRuntimeSeconds: 30 }));
      service.look(HANDOVER + 2 * MINUTE);
    },
  ],
])(
  "R38: who was told of the failure before hears of the next only its end, in another's week: %s",
  async (_, again) => {
    using service = serviceWith(["oncall"]);
    for (const before of [20, 10]) {
      await fail(service, HANDOVER - before * MINUTE);
      allSent(service, HANDOVER - before * MINUTE);
      await recover(service, HANDOVER - (before - 1) * MINUTE);
    }
    await again(service);
    allSent(service, HANDOVER + 2 * MINUTE);
    await recover(service, HANDOVER + 3 * MINUTE);
    expect(written(service).slice(-4)).toEqual([
      "recovered ada in 15 min it failed again within 15 minutes",
      "initial_failure grace",
      "recovered ada in 15 min",
      "recovered grace in 15 min",
    ]);
  },
);

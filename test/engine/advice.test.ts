// `rollcall advise`: what could be set better, by what has happened, each with a command that mends it.

import { expect, test } from "bun:test";
import { versionOneRateLimits } from "../../src/domain/rate-limit.ts";
import { DAY, HOUR, type Instant, MINUTE } from "../../src/domain/time.ts";
import { MESSAGES } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const TOLD = policyWith({
  team: { name: null, destinations: ["chat"], members: [] },
  destinations: new Map([["chat", MESSAGES]]),
  monitors: { lonely: { destinations: [] } },
});

const adviceOf = (service: Service, application: string | null = "prod") =>
  granted(service.engine.operate("advise", { application })).advice.map(
    ({ key, says, command }) => `${key ?? ""}|${says}|${command ?? ""}`,
  );

async function report(service: Service, at: Instant, more: Parameters<typeof ping>[0]): Promise<void> {
  service.look(at);
  await service.send(ping(more));
}

test("a new installation has no advice for its jobs", async () => {
  using service = openService(TOLD);
  await report(service, NOON, { schedule: "0 2 * * *" });
  expect(adviceOf(service)).toEqual([]);
});

test("a job that is late again and again needs a longer grace, by a command that spares the alarms", async () => {
  using service = openService(TOLD);
  const hourly = { monitorKey: "it's late", schedule: "0 * * * *", graceSeconds: 60 };
  await report(service, NOON, hourly);
  for (let hour = 1; hour <= 4; hour++) {
    await report(service, NOON + hour * HOUR + 12 * MINUTE, { monitorKey: "it's late" });
    expect(adviceOf(service)).toHaveLength(hour < 3 ? 0 : 1);
  }
  expect(adviceOf(service)).toEqual([
    "it's late|reported late 4 times in 30 days, by up to 12 min, and each was an alarm|rollcall monitor set 'it'\\''s late' --app prod --grace 15m",
  ]);
  const { alarms, asItIs } = granted(service.engine.operate("replay", { key: "it's late", graceSeconds: 900 }));
  expect([alarms, asItIs]).toEqual([0, 4]);
});

test("a job without a longest run gets one, of three times what its weeks took", async () => {
  using service = openService(TOLD);
  await report(service, NOON, { schedule: "0 0 28 2 *" });
  const week = { runs: 5, medianMs: 20 * MINUTE };
  service.store.runLengths.save(1, NOON, [
    { ...week, from: NOON - 14 * DAY, medianMs: 22 * MINUTE },
    { ...week, from: NOON - 7 * DAY },
  ]);
  expect(adviceOf(service)).toEqual([
    "job|usually takes 20 min, and a run that hangs is told only after 24 h 1 min|rollcall monitor set job --app prod --max-runtime 70m",
  ]);
  granted(service.engine.operate("monitor set", { key: "job", maxRuntimeSeconds: 4_200 }));
  expect(adviceOf(service)).toEqual([]);
});

test("a job that stays away or fails is no late one", async () => {
  using service = openService(TOLD);
  const daily = { schedule: "0 12 * * *", graceSeconds: 60 };
  await report(service, NOON, daily);
  for (let day = 1; day <= 4; day++) {
    await report(service, NOON + day * DAY + 9 * HOUR, {});
    await report(service, NOON + day * DAY + 10 * HOUR, { kind: "fail" });
    await report(service, NOON + day * DAY + 11 * HOUR, {});
  }
  expect(adviceOf(service)).toEqual([]);
});

test("alerts that reach no one, jobs that start together, unused keys and silent destinations are named", async () => {
  using service = openService(TOLD);
  granted(service.engine.operate("key create", { application: "prod", scope: "ping" }));
  await report(service, NOON, { monitorKey: "lonely", schedule: "0 0 28 2 *" });
  for (let job = 0; job < 10; job++) await report(service, NOON, { monitorKey: `job-${job}`, schedule: "0 3 * * *" });
  service.look(NOON + 100 * DAY);
  expect(adviceOf(service)).toEqual([
    "lonely|no destination takes its alerts|rollcall destination route --monitor lonely --app prod NAME",
    "|10 jobs start together in 15 h, such as job-0, job-1, job-2: spread them|",
    expect.stringMatching(
      /^\|key \d+ of prod was (never used, and was made|last used) \d+ d ago\|rollcall key revoke \d+$/,
    ),
  ]);
  expect(adviceOf(service, null).at(-1)).toBe("|nothing has arrived at chat yet|rollcall notify test chat");
});

test("without any destination one is advised, and not a way for each job to none", async () => {
  const team = { name: null, destinations: [], members: [] };
  using service = openService(policyWith({ team, destinations: new Map() }));
  for (const monitorKey of ["one", "two"]) await report(service, NOON, { monitorKey, schedule: "0 3 * * *" });
  const advice = "|there is no destination, so no one is told of anything|rollcall destination add NAME TYPE KEY=VALUE";
  expect([adviceOf(service), adviceOf(service, null)]).toEqual([[advice], [advice]]);
});

test("of each kind the first are listed, and the others counted", async () => {
  using service = openService(policyWith({ team: { name: null, destinations: [], members: [] } }));
  for (let job = 0; job < 23; job++) await report(service, NOON, { monitorKey: `job-${job}`, schedule: "0 0 28 2 *" });
  const { advice, more } = granted(service.engine.operate("advise", { application: "prod" }));
  expect([advice.length, more]).toEqual([21, 3]);
});

test("a schedule that comes true in years alone is named, and one of each year is not", async () => {
  using service = openService(TOLD);
  await report(service, NOON, { monitorKey: "leap", schedule: "0 0 29 2 *" });
  await report(service, NOON, { monitorKey: "birthday", schedule: "0 0 1 3 *" });
  expect(adviceOf(service)).toEqual([
    'leap|its schedule "0 0 29 2 *" comes true only in 729 d|rollcall monitor set leap --app prod --schedule CRON',
  ]);
});

test("a limit is named that is too small for all jobs there are, however they came", async () => {
  using service = openService({ ...TOLD, rateLimits: versionOneRateLimits(3, 0) });
  for (const job of ["a", "b"]) await report(service, NOON, { monitorKey: job, schedule: "* * * * *" });
  expect(adviceOf(service)).toEqual([
    "|limits.v1_per_minute is too small for application prod: its jobs may send 4 reports in 1 minute, and a key may send 3; " +
      "raise the limit, or give busy jobs an application of their own|",
  ]);
});

test("an answer is named that is not taken, because there is no such person, or the person may only look", () => {
  const members = [
    { name: "Ben", email: "ben@example.org", events: [], answers: "ben" },
    { name: "Cy", email: "cy@example.org", events: [] },
  ];
  const answering = policyWith({
    team: { name: null, destinations: ["chat"], members },
    destinations: new Map([["chat", { ...MESSAGES, answers: "Ada" }]]),
  });
  using service = openService(answering);
  const ofChat =
    "|the destination chat answers alerts as Ada, there is no such person|rollcall user create Ada --role operator";
  const untaken = () => adviceOf(service, null).filter((line) => line.includes("answers"));
  expect(untaken()).toEqual([
    ofChat,
    "|ben@example.org answers alerts as ben, there is no such person|rollcall user create ben --role operator",
  ]);
  granted(service.engine.operate("user create", { name: "BEN", role: "viewer" }));
  expect(untaken()[1]).toBe(
    "|ben@example.org answers alerts as ben, who may only look|rollcall user change ben --role operator",
  );
  granted(service.engine.operate("user change", { name: "ben", role: "operator" }));
  expect(untaken()).toEqual([ofChat]);
});

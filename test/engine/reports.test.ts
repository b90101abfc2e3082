// The report of all jobs (`alerts.report`): when it comes, also over restarts and wrong clocks, and what it says.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { NoticeData, ReportDetails } from "../../src/domain/message/notice.ts";
import { DAY, HOUR, type Instant, MINUTE, toIso } from "../../src/domain/time.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { anySchedule } from "../domain/slots-arbitraries.ts";
import { judgeOf } from "../domain/slots-judge.ts";
import { MESSAGES } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";

const MONDAY_8 = NOON + 7 * DAY - 4 * HOUR;

const policyOf = (report: string | null, more: Parameters<typeof policyWith>[0] = {}) =>
  policyWith({
    report,
    team: { name: null, destinations: ["chat", "boss"], members: [] },
    destinations: new Map([
      ["chat", MESSAGES],
      ["boss", { ...MESSAGES, hears: { afterSeconds: 600 } }],
    ]),
    ...more,
  });

const WEEKLY = policyOf("0 8 * * 1");

const reportsOf = ({ store }: Service) =>
  store.database
    .query<{ at: Instant; data: string }, []>(
      "select at, data from alerts where data ->> '$.notice.kind' = 'report' order by id",
    )
    .all()
    .map(({ at, data }) => ({ at: toIso(at), data: JSON.parse(data) as NoticeData & { notice: ReportDetails } }));

const timesOf = (service: Service): string[] => reportsOf(service).map(({ at }) => at);

/** A look each minute around it, as the engine does. */
function lookAround(service: Service, at: Instant): void {
  for (const minute of [-2, -1, 0, 1, 2]) service.look(at + minute * MINUTE);
}

/** Into April, so that each day of a month is among them. */
const LOOKED_DAYS = 31;

/** The days from tomorrow on, in UTC, on which a report came at eight. */
function daysOfReports(report: string): string[] {
  using service = openService(policyOf(report));
  service.look(NOON);
  for (let day = 1; day <= LOOKED_DAYS; day += 1) service.look(NOON - 4 * HOUR + day * DAY);
  return timesOf(service).map((time) => time.slice(0, 10));
}

test("a report comes once at its time, not at the start, and again a week later", () => {
  using service = openService(WEEKLY);
  service.look(NOON);
  expect(timesOf(service)).toEqual([]);
  lookAround(service, MONDAY_8);
  expect(timesOf(service)).toEqual([toIso(MONDAY_8)]);
  lookAround(service, MONDAY_8 + 7 * DAY);
  expect(timesOf(service)).toEqual([toIso(MONDAY_8), toIso(MONDAY_8 + 7 * DAY)]);
});

const MONDAYS = ["2026-03-09", "2026-03-16", "2026-03-23", "2026-03-30"];

// croner reads these three as every day, or as the days of either field; R16 reads a field of its whole range as no
// restriction.
test.each([
  ["0 8 1 * 0-6", ["2026-04-01"]],
  ["0 8 */1 * 1", MONDAYS],
  ["0 8 1-31 * 1", MONDAYS],
])("R16: a report of %j comes on its days alone", (report, days) => {
  expect(daysOfReports(report)).toEqual(days);
});

test("R16: over many expressions, reports come on the days that croner finds in the same fields", () => {
  fc.assert(
    fc.property(anySchedule(5), ({ expression, fields }) => {
      const eight = { ...fields, seconds: [0], minutes: [0], hours: [8] };
      const judged = judgeOf(eight)
        .nextRuns(LOOKED_DAYS + 1, new Date(NOON))
        .map((run) => run.toISOString().slice(0, 10))
        .filter((day) => day < toIso(NOON + (LOOKED_DAYS + 1) * DAY).slice(0, 10));
      expect(
        daysOfReports(
          `0 8 ${expression
            .split(/[ \t]+/)
            .slice(2)
            .join(" ")}`,
        ),
      ).toEqual(judged);
    }),
    { numRuns: 20 },
  );
});

test("without the setting none comes, and one switched on begins with the next time", () => {
  using service = openService(policyOf(null));
  service.look(NOON);
  lookAround(service, MONDAY_8);
  service.reload(WEEKLY);
  service.look(MONDAY_8 + HOUR);
  expect(timesOf(service)).toEqual([]);
  lookAround(service, MONDAY_8 + 7 * DAY);
  expect(timesOf(service)).toHaveLength(1);
});

test("a restart repeats none, and makes up for one that was due meanwhile", () => {
  using service = openService(WEEKLY);
  service.look(NOON);
  service.look(MONDAY_8);
  service.restart(WEEKLY);
  lookAround(service, MONDAY_8 + 5 * MINUTE);
  expect(timesOf(service)).toHaveLength(1);
  service.kill();
  service.at(MONDAY_8 + 7 * DAY + 3 * HOUR);
  service.start(WEEKLY);
  lookAround(service, MONDAY_8 + 7 * DAY + 3 * HOUR + MINUTE);
  expect(timesOf(service)).toHaveLength(2);
  const [, late] = reportsOf(service);
  expect(late!.data.notice.from).toBe(toIso(MONDAY_8));
});

test("one that a wrong clock wrote in the future holds up none", () => {
  using service = openService(WEEKLY);
  service.look(NOON);
  service.look(MONDAY_8 + 70 * DAY);
  expect(timesOf(service)).toHaveLength(1);
  service.kill();
  service.at(NOON);
  service.start(WEEKLY);
  service.look(NOON);
  lookAround(service, MONDAY_8);
  expect(timesOf(service)).toHaveLength(2);
});

test("it counts and names what there was, goes where alerts go by default, and to no one who hears later", async () => {
  const monitors = { lonely: { destinations: [] } };
  using service = openService(policyOf("0 8 * * 1", { monitors }));
  service.look(MONDAY_8 - 2 * DAY);
  const schedule = "0 0 29 2 *";
  for (const key of ["calm", "lonely", "shaky", "broken"]) await service.send(ping({ monitorKey: key, schedule }));
  for (let round = 0; round < 3; round++) {
    await service.send(ping({ monitorKey: "shaky", kind: "fail" }));
    await service.send(ping({ monitorKey: "shaky" }));
  }
  await service.send(ping({ monitorKey: "broken", kind: "fail" }));
  service.look(MONDAY_8);
  const [report] = reportsOf(service);
  expect(report!.data.notice).toMatchObject({
    from: toIso(MONDAY_8 - 7 * DAY),
    ...{ monitorsTotal: 4, reportedTotal: 4, troubledTotal: 2, openTotal: 1, untoldTotal: 1 },
    flaky: [
      { monitorKey: "shaky", incidents: 3 },
      { monitorKey: "broken", incidents: 1 },
    ],
    untold: [{ monitorKey: "lonely" }],
  });
  const { subject, story, toDo } = wordingOf({ type: "service.notice", at: MONDAY_8, data: report!.data }, MONDAY_8);
  expect(subject).toBe("Report: 2 of 4 jobs had trouble, 1 is open");
  expect(story.slice(1)).toEqual(["1 incident is open now.", "Alerts of 1 job would reach no one."]);
  expect(toDo).toBe("Look at what is open.");
  const went = service.store.database
    .query<{ destination: string }, []>(
      "select destination from deliveries join alerts on alerts.id = alert_id where type = 'service.notice'",
    )
    .all();
  expect(went).toEqual([{ destination: "chat" }]);
});

test("with nothing to tell it says so, and without jobs too", () => {
  using service = openService(WEEKLY);
  service.look(NOON);
  service.look(MONDAY_8);
  const [{ data }] = reportsOf(service) as [ReturnType<typeof reportsOf>[number]];
  const { subject, toDo } = wordingOf({ type: "service.notice", at: MONDAY_8, data }, MONDAY_8);
  expect([subject, toDo]).toEqual(["Report: no trouble with 0 jobs", "There is nothing to do."]);
});

test("when no job reported, as after weeks without rollcall, it does not say that there is nothing to do", async () => {
  using service = openService(WEEKLY);
  await service.send(ping({ schedule: "0 0 29 2 *" }));
  service.look(NOON);
  service.look(MONDAY_8);
  service.restart();
  service.look(MONDAY_8 + 14 * DAY);
  const { data } = reportsOf(service).at(-1)!;
  const { toDo } = wordingOf({ type: "service.notice", at: MONDAY_8 + 14 * DAY, data }, MONDAY_8 + 14 * DAY);
  expect(toDo).toBe("Check whether rollcall could hear its jobs: none reported.");
});

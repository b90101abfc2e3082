// R33: reports with a live key that are refused for what is wrong with them: what is kept of them, who is told, and how
// the miss that follows names them. That the edge hands them in is tested with the contract.

import { describe, expect, test } from "bun:test";
import { refuse } from "../../src/domain/errors.ts";
import type { AlertMessage } from "../../src/domain/message/alert.ts";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import type { NoticeMessage } from "../../src/domain/message/notice.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import type { RefusedPing } from "../../src/engine/api.ts";
import type { RefusedSummary } from "../../src/views/schemas/received-schemas.ts";
import { NOON, openService, ping, type Service } from "../support/engine.ts";

const HOURLY = "0 * * * *";
const CLOSE = MINUTE + 5 * SECOND;
const SUNDAY = refuse("INVALID_SCHEDULE", 'schedule: day of week "7" is out of range, 0 to 6');
const UNKNOWN = refuse("MONITOR_NOT_FOUND", "monitor does not exist");

const rejected = (changes: Partial<RefusedPing> = {}): RefusedPing => ({
  caller: ping().caller,
  monitorKey: "job",
  kind: "heartbeat",
  refusal: SUNDAY,
  ...changes,
});

function rejectAt(service: Service, at: Instant, changes: Partial<RefusedPing> = {}): void {
  service.look(at);
  service.engine.intake.refused(rejected(changes));
  service.endTurns();
}

const listed = ({ engine }: Service, limit = 1_000): readonly RefusedSummary[] => {
  const list = engine.operate("monitor refused", { application: null, limit });
  return "refused" in list ? list.refused : [];
};

const messages = <Message>({ store }: Service, notices: boolean): Message[] =>
  store.database
    .query<{ type: string; at: Instant; data: string }, []>(
      `select type, at, data from alerts where (incident_id is null) = ${notices} order by id`,
    )
    .all()
    .map(({ data, ...row }) => ({ ...row, data: alertDataFrom(data)! })) as Message[];

const refusedNotices = (service: Service) =>
  messages<NoticeMessage>(service, true).flatMap(({ at, data: { notice } }) =>
    notice.kind === "refused" ? [{ at: at - NOON, notice }] : [],
  );

describe("what is kept", () => {
  test("R33: is one row for each application, monitor and reason, with the newest sentence and how often", () => {
    using service = openService();
    rejectAt(service, NOON + MINUTE);
    rejectAt(service, NOON + HOUR, { refusal: refuse("INVALID_SCHEDULE", "schedule: it is nonsense") });
    rejectAt(service, NOON + 2 * HOUR, { refusal: refuse("INVALID_REQUEST", "gracePeriod: 5 is too small") });
    rejectAt(service, NOON + 3 * HOUR, { monitorKey: "jbo", kind: "fail", refusal: UNKNOWN });
    expect(listed(service)).toEqual([
      {
        application: "prod",
        monitorKey: "jbo",
        report: "fail",
        error: "MONITOR_NOT_FOUND",
        status: 404,
        reason: "monitor does not exist",
        keyId: 1,
        firstAt: NOON + 3 * HOUR,
        at: NOON + 3 * HOUR,
        times: 1,
      },
      expect.objectContaining({ error: "INVALID_REQUEST", reason: "gracePeriod: 5 is too small", times: 1 }),
      expect.objectContaining({
        firstAt: NOON + MINUTE,
        at: NOON + HOUR,
        reason: "schedule: it is nonsense",
        times: 2,
      }),
    ]);
  });

  test("R33: a flood is written and logged once a minute, with its number, and nothing is lost of it", () => {
    using service = openService();
    const writes = () => service.logged.filter(({ event }) => event === "report_refused");
    for (let second = 0; second < 150; second++) {
      service.look(NOON + second * SECOND);
      for (let sent = 0; sent < 40; sent++) service.engine.intake.refused(rejected());
    }
    expect(writes().map(({ fields }) => fields["times"])).toEqual([40, 2_400, 2_400]);
    service.look(NOON + 4 * MINUTE);
    expect(listed(service)).toMatchObject([{ times: 6_000, at: NOON + 149 * SECOND }]);
    expect(writes()[0]).toEqual({
      level: "warn",
      event: "report_refused",
      fields: {
        application: "prod",
        monitor: "job",
        report: "heartbeat",
        error: "INVALID_SCHEDULE",
        reason: SUNDAY.message,
        times: 40,
      },
    });
  });

  test("R33: a flood of names has 200 entries of an application in a minute, 500 rows in all, and the log says what is left", () => {
    using service = openService();
    for (let minute = 0; minute < 4; minute++) {
      service.look(NOON + minute * 3 * MINUTE);
      for (let name = 0; name < 5_000; name++)
        service.engine.intake.refused(rejected({ monitorKey: `${minute}-${name}`, refusal: UNKNOWN }));
      service.endTurns();
      service.look(NOON + minute * 3 * MINUTE + 2 * MINUTE);
    }
    expect(service.count("refused_reports")).toBe(500);
    expect(listed(service)[0]?.monitorKey).toStartWith("3-");
    const more = service.logged.filter(({ event }) => event === "more_reports_refused");
    expect(more.map(({ fields }) => fields["times"])).toEqual([4_800, 4_800, 4_800, 4_800]);
  });

  test("R33: holds no key, wherever one was sent", () => {
    using service = openService();
    const key = "ck_app_prod_0123456789abcdefghijklmnopqrstuv";
    rejectAt(service, NOON, { monitorKey: key, refusal: refuse("INVALID_SCHEDULE", `schedule: "${key}" has 1 field`) });
    expect(listed(service)).toMatchObject([{ monitorKey: "ck_app_***", reason: 'schedule: "ck_app_***" has 1 field' }]);
  });

  test("R33: goes after 90 days", () => {
    using service = openService();
    rejectAt(service, NOON);
    service.look(NOON + 90 * DAY - HOUR);
    expect(service.count("refused_reports")).toBe(1);
    service.look(NOON + 90 * DAY + 2 * HOUR);
    expect(service.count("refused_reports")).toBe(0);
  });

  test("R33: changes nothing of its monitor: it is no evidence of life", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    const before = service.monitor();
    rejectAt(service, NOON + HOUR - SECOND);
    expect(service.monitor()).toEqual(before);
  });
});

describe("the notice", () => {
  test("R33: tells once, after a minute, of a job that nobody watches, and goes where its alerts would go", () => {
    using service = openService();
    for (let hour = 0; hour < 30; hour++) rejectAt(service, NOON + hour * HOUR, { refusal: UNKNOWN });
    service.look(NOON + 40 * HOUR);
    expect(refusedNotices(service)).toEqual([
      {
        at: HOUR,
        notice: {
          kind: "refused",
          monitorsTotal: 1,
          failingTotal: 0,
          monitors: [
            {
              applicationId: "prod",
              monitorKey: "job",
              name: "Job",
              timezone: "UTC",
              watched: false,
              refused: [
                {
                  at: toIso(NOON),
                  report: "heartbeat",
                  error: "MONITOR_NOT_FOUND",
                  field: "",
                  reason: "monitor does not exist",
                  message: null,
                  firstAt: toIso(NOON),
                  times: 1,
                },
              ],
            },
          ],
        },
      },
    ]);
    expect(service.notices()).toMatchObject([{ destinations: ["hook"] }]);
    const [message] = messages<NoticeMessage>(service, true);
    const { subject, story, items } = wordingOf(message!, message!.at);
    expect(subject).toBe("Not watched: Job, report refused");
    expect(story).toEqual([
      "Job is not watched: its reports are refused.",
      "Until a report of the job is accepted, no message comes when it does not run.",
    ]);
    expect(items[0]?.details).toEqual(["report of 2026-03-02 12:00 UTC refused: monitor does not exist"]);
  });

  test("R33: gathers for a minute and goes out once an hour, whatever is new", () => {
    using service = openService();
    for (let minute = 0; minute < 130; minute++)
      rejectAt(service, NOON + minute * MINUTE, { monitorKey: `job-${minute}`, refusal: UNKNOWN });
    expect(refusedNotices(service).map(({ at, notice }) => [at / MINUTE, notice.monitorsTotal])).toEqual([
      [1, 1],
      [61, 60],
      [121, 60],
    ]);
  });

  test("R33: is not sent for a job that is watched, nor for one that reported after all", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    rejectAt(service, NOON + SECOND);
    rejectAt(service, NOON + 2 * SECOND, { monitorKey: "other", refusal: UNKNOWN });
    await service.send(ping({ monitorKey: "other", schedule: HOURLY }));
    service.look(NOON + 10 * MINUTE);
    expect(refusedNotices(service)).toEqual([]);
  });

  test("R33: tells of a refused failure of any job, and an hour later of what failed since", async () => {
    using service = openService();
    await service.send(ping({ schedule: "0 0 29 2 *" }));
    for (let minute = 0; minute < 100; minute += 10) rejectAt(service, NOON + minute * MINUTE, { kind: "fail" });
    service.look(NOON + 110 * MINUTE);
    expect(refusedNotices(service).map(({ at, notice }) => [at / MINUTE, notice.failingTotal])).toEqual([
      [10, 1],
      [70, 1],
    ]);
    const [message] = messages<NoticeMessage>(service, true);
    const { subject, story } = wordingOf(message!, message!.at);
    expect(subject).toBe("Failed: Job, report refused");
    expect(story).toEqual(["Job reported a failure, but the report was refused.", "No other message tells of it."]);
  });

  test("R33: survives a restart: what was untold is told, and what was told is not told again", () => {
    using service = openService();
    rejectAt(service, NOON, { refusal: UNKNOWN });
    service.restart();
    service.look(NOON + 2 * MINUTE);
    expect(refusedNotices(service)).toHaveLength(1);
    service.restart();
    rejectAt(service, NOON + 3 * HOUR, { refusal: UNKNOWN });
    service.look(NOON + 4 * HOUR);
    expect(refusedNotices(service)).toHaveLength(1);
  });
});

describe("the alarm that follows", () => {
  const alarms = (service: Service) => messages<AlertMessage>(service, false);

  test("R33: a miss names the report that was refused, and when, and why", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    rejectAt(service, NOON + HOUR + 2 * SECOND);
    service.look(NOON + HOUR + CLOSE);
    const [message] = alarms(service);
    expect(message?.data.refusedReport).toEqual({
      at: toIso(NOON + HOUR + 2 * SECOND),
      report: "heartbeat",
      error: "INVALID_SCHEDULE",
      reason: SUNDAY.message,
    });
    const { story } = wordingOf(message!, message!.at);
    expect(story[0]).toBe("No report of Job was accepted.");
    expect(story[2]).toEndWith("none was accepted.");
    expect(story[1]).toBe(`Its report of 2026-03-02 13:00:02 UTC was refused: ${SUNDAY.message}.`);
  });

  test("R33: a miss names the limit that refused a report, and asks to look at the job, not at the request", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    service.at(NOON + 30 * MINUTE);
    service.engine.intake.rateLimited(ping(), "limits.v1_per_hour");
    service.endTurns();
    service.look(NOON + HOUR + CLOSE);
    const [message] = alarms(service);
    const { story, toDo } = wordingOf(message!, message!.at);
    expect(story[0]).toBe("Job did not report.");
    expect(story[1]).toEndWith("was refused: limits.v1_per_hour: more came than it allows.");
    expect(story[2]).toEndWith("nothing came.");
    expect(toDo).toBe("Check that its machine and its scheduler are up.");
  });

  test("R33: so does NeverExecuted of a job that was only declared, and a reminder", async () => {
    using service = openService();
    service.engine.operate("monitor create", {
      application: null,
      key: "job",
      ...NOTHING_DECLARED,
      schedule: HOURLY,
    });
    rejectAt(service, NOON + 10 * MINUTE);
    service.look(NOON + HOUR + CLOSE);
    service.look(NOON + 2 * HOUR + CLOSE);
    expect(alarms(service).map(({ data }) => [data.kind, data.refusedReport?.at])).toEqual([
      ["NeverExecuted", toIso(NOON + 10 * MINUTE)],
      ["ContinuedFailure", toIso(NOON + 10 * MINUTE)],
    ]);
    expect(wordingOf(alarms(service)[0]!, NOON + HOUR + CLOSE).story[0]).toBe(
      "No report of Job has been accepted since it was set up.",
    );
  });

  test("R33: one that was refused before the last accepted report explains nothing", async () => {
    using service = openService();
    rejectAt(service, NOON);
    service.at(NOON + SECOND);
    await service.send(ping({ schedule: HOURLY }));
    service.look(NOON + HOUR + CLOSE);
    expect(alarms(service)).toMatchObject([{ data: { cause: "missed", refusedReport: null } }]);
  });

  test.each([
    [
      "for what is wrong with it",
      (service: Service) => service.engine.intake.refused(rejected({ kind: "complete" })),
      SUNDAY.message,
    ],
    [
      "by the rate limit",
      (service: Service) =>
        service.engine.intake.rateLimited(ping({ kind: "complete", runId: "r" }), "limits.v1_per_minute"),
      "limits.v1_per_minute: more came than it allows",
    ],
  ])("R33: a run that is not finished names the end that was refused %s", async (_, refuseEnd, reason) => {
    using service = openService();
    await service.send(ping({ schedule: "0 0 29 2 *", kind: "start", runId: "r", maxRuntimeSeconds: 600 }));
    service.look(NOON + 5 * MINUTE);
    refuseEnd(service);
    service.endTurns();
    service.at(NOON + 6 * MINUTE);
    await service.send(ping({ kind: "start", runId: "another" }));
    service.look(NOON + 11 * MINUTE);
    expect(alarms(service)).toMatchObject([
      { data: { cause: "unfinished", refusedReport: { at: toIso(NOON + 5 * MINUTE), report: "complete", reason } } },
    ]);
  });
});

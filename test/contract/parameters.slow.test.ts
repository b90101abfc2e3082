// The contract's section "Parameters": what each query parameter may be, over the wire alone. What they do to a monitor
// is the business of "What the service does", what the versions take beside it that of "Aliases".

import { afterAll, describe, expect, test } from "bun:test";
import { type Answer, ask, askRaw } from "../support/http-client.ts";
import { startService } from "../support/service.ts";
import { VERSIONS } from "../support/versions.ts";

describe.each(VERSIONS)("$title", ({ root, messageField }) => {
  const service = startService();
  afterAll(() => service[Symbol.asyncDispose]());
  const { port, keys } = service;
  const base = `${service.origin}${root}`;

  const SCHEDULE = "schedule=0%203%20*%20*%20*";
  let count = 0;
  const newKey = (): string => `parameters-${++count}`;

  /** Reports to a new monitor with this query behind its schedule. */
  const report = (query: string, operation = ""): Promise<Answer> =>
    ask(`${base}/ping/${newKey()}/${keys.all}${operation}?${SCHEDULE}&${query}`);

  /** Sends the query as it stands, since `fetch` would encode some of it. */
  const reportRaw = (query: string, operation = ""): Promise<Answer> =>
    askRaw(port, `GET ${root}/ping/${newKey()}/${keys.all}${operation}?${query}`);

  /** A refusal that names the parameter first (R1), and nothing was recorded: the monitor does not exist. */
  async function expectRefused(
    query: string,
    parameter: string,
    code = "INVALID_REQUEST",
    operation = "",
  ): Promise<void> {
    const key = newKey();
    const path = `${root}/ping/${key}/${keys.all}`;
    const answer = await askRaw(port, `GET ${path}${operation}?${query}`);
    expect(answer).toMatchObject({ status: 400, json: { error: code } });
    expect(answer.json?.["message"]).toStartWith(`${parameter}: `);
    expect((await askRaw(port, `GET ${path}`)).status).toBe(404);
  }

  describe("monitor_key: 1 to 200 characters", () => {
    test.each([
      ["200 characters", "k".repeat(200), 200],
      ["201 characters", "k".repeat(201), 400],
      ["200 characters of two UTF-16 units each", "😀".repeat(200), 200],
      ["201 characters of two UTF-16 units each", "😀".repeat(201), 400],
    ])("R6: %s", async (_, key, status) => {
      const answer = await ask(`${base}/ping/${encodeURIComponent(key)}/${keys.all}?${SCHEDULE}`);
      expect(answer.status).toBe(status);
      if (status === 200) expect(answer.json?.["monitor"]).toBe(key);
      else expect(answer.json?.["message"]).toStartWith("monitor_key: ");
    });

    test("R6: keys are compared exactly and never changed", async () => {
      expect((await ask(`${base}/ping/Exact/${keys.all}?${SCHEDULE}`)).json?.["monitor"]).toBe("Exact");
      expect((await ask(`${base}/ping/exact/${keys.all}`)).status).toBe(404);
      expect((await ask(`${base}/ping/%20Exact/${keys.all}`)).status).toBe(404);
    });
  });

  describe("schedule", () => {
    test.each(["0%203%20*%20*%20*", "0+3+*+*+*", "*/5+*+*+*+*", "0+9-17+*+*+MON-FRI", "%30+3+*+*+*"])(
      "a five-field cron expression is taken: %s",
      async (schedule) => {
        expect((await reportRaw(`schedule=${schedule}`)).status).toBe(200);
      },
    );

    test.each([
      "nonsense",
      "*+*+*+*",
      "*+*+*+*+*+*+*",
      "60+*+*+*+*",
      "@reboot",
      "@every+5m",
      "0+0+31+2+*",
      "*+*+*+*+7",
      "*+*+*+*+%3F",
      "",
    ])("R15: malformed, INVALID_SCHEDULE: %s", (schedule) =>
      expectRefused(`schedule=${schedule}`, "schedule", "INVALID_SCHEDULE"),
    );

    test("R12: a malformed one is refused on an existing monitor as well, every time", async () => {
      const url = `${base}/ping/${newKey()}/${keys.all}`;
      expect((await ask(`${url}?${SCHEDULE}`)).status).toBe(200);
      for (let time = 0; time < 2; time++) {
        expect(await ask(`${url}?schedule=nonsense`)).toMatchObject({
          status: 400,
          json: { error: "INVALID_SCHEDULE" },
        });
      }
    });

    test("R12: written with other blanks it is the same expression, which changes nothing", async () => {
      const url = `${base}/ping/${newKey()}/${keys.all}`;
      for (const schedule of ["0+4+*+*+*", "0++4+*+*+*", "%090+4%20%09+*+*+*+"]) {
        expect((await ask(`${url}?schedule=${schedule}`)).json).toMatchObject({ status: "ok", warning: null });
      }
      expect((await ask(`${url}?schedule=0+5+*+*+*`)).json?.["warning"]).toEqual(expect.any(String));
    });

    test("R10: it has at most 400 characters", async () => {
      const minutes = (length: number) => `${"0,".repeat(length)}0+3+*+*+*`;
      expect((await reportRaw(`schedule=${minutes(195)}`)).status).toBe(200);
      await expectRefused(`schedule=${minutes(196)}`, "schedule");
    });
  });

  describe("R7: integers", () => {
    const BAD = [
      "6e1",
      "%2060",
      "60%20",
      "+60",
      "%2B60",
      "60.0",
      "0x3c",
      "-60",
      "",
      "1234567890",
      "%EF%BC%96%EF%BC%90",
      "60%0A",
    ];
    const INTEGERS = [
      ["gracePeriod", 60],
      ["maxRuntime", 60],
      ["attempt", 0],
    ] as const;

    describe.each(INTEGERS)("%s", (name, min) => {
      test.each([String(min), "000000060", "999999999"])("%s is taken", async (value) => {
        expect((await report(`${name}=${value}`)).status).toBe(200);
      });
      test.each(BAD)("%s is refused", (value) => expectRefused(`${SCHEDULE}&${name}=${value}`, name));
      if (min > 0)
        test("one less than the least is refused", () => expectRefused(`${SCHEDULE}&${name}=${min - 1}`, name));
    });
  });

  describe("R43: a report that comes late", () => {
    test.each(["0", "59", "604800"])("an age of %s seconds is taken", async (age) => {
      const { status, json } = await report(`age=${age}&duration=12.5`, "/complete");
      expect(status).toBe(200);
      expect(json?.["duration"]).toBe(12);
      const arrivedAt = Date.parse(String(json?.["completedAt"]));
      const happenedAt = new Date(arrivedAt - Number(age) * 1000).toISOString();
      expect(json?.["happenedAt"]).toBe(age === "0" ? undefined : happenedAt);
    });

    test("each kind of report may have one", async () => {
      for (const operation of ["", "/start", "/complete", "/fail"])
        expect((await report("age=60", operation)).json).toHaveProperty("happenedAt");
    });

    test.each(["604801", "60.0", "-1", "6e1", "%2060", ""])("an age of %p is refused", (age) =>
      expectRefused(`${SCHEDULE}&age=${age}`, "age"),
    );

    test.each(["0", "1", "0.004", "604800.9"])("a duration of %s seconds is taken", async (duration) => {
      const { json } = await report(`duration=${duration}`, "/complete");
      expect(json?.["duration"]).toBe(Math.floor(Number(duration)));
    });

    test.each(["604801", "999999999.9"])(
      "a duration of %s seconds is ignored, and `warning` says so",
      async (duration) => {
        const { json } = await report(`duration=${duration}`, "/complete");
        expect(json).toMatchObject({ duration: null, warning: expect.stringContaining("is longer than 7 days") });
      },
    );

    test.each([".5", "5.", "-1", "1e3", "1,5", "1234567890", ""])("a duration of %p is refused", (duration) =>
      expectRefused(`${SCHEDULE}&duration=${duration}`, "duration"),
    );
  });

  describe("lengths", () => {
    test.each([
      ["run_id", 128],
      ["name", 200],
    ])("R10: %s has at most %d characters, counted as code points", async (name, length) => {
      for (const letter of ["x", "ü", "😀"]) {
        const text = (times: number) => encodeURIComponent(letter.repeat(times));
        expect((await report(`${name}=${text(length)}`)).status).toBe(200);
        await expectRefused(`${SCHEDULE}&${name}=${text(length + 1)}`, name);
      }
    });
  });

  describe("control characters", () => {
    const CONTROLS = ["%00", "%09", "%0A", "%1B", "%7F", "%C2%80", "%C2%9F"];

    test.each(["name", "run_id"])("%s may have none", async (name) => {
      for (const control of CONTROLS) await expectRefused(`${SCHEDULE}&${name}=a${control}b`, name);
      expect((await report(`${name}=a%C2%A0b%20c`)).status).toBe(200);
    });

    test("message keeps them: its lines and tabs are part of what failed", async () => {
      const failed = await report("message=one%0Atwo%09%1B", "/fail");
      expect(failed).toMatchObject({ status: 200, json: { [messageField]: "one\ntwo\t\u001b" } });
    });
  });

  describe("message: fail only", () => {
    test.each(["", "/start", "/complete", "/0", "/3"])(
      "elsewhere not even its length counts: %s",
      async (operation) => {
        expect((await report(`message=${"x".repeat(1001)}`, operation)).status).toBe(200);
      },
    );
  });

  describe("timezone (R13)", () => {
    test.each(["Europe/Berlin", "UTC", "America/Argentina/Buenos_Aires"])("%s is taken", async (timezone) => {
      expect((await report(`timezone=${timezone}`)).status).toBe(200);
    });
    test("R12: in other letter case it is the same zone, which changes nothing", async () => {
      const url = `${base}/ping/${newKey()}/${keys.all}`;
      expect((await ask(`${url}?${SCHEDULE}&timezone=Europe/Berlin`)).status).toBe(200);
      expect((await ask(`${url}?timezone=europe/BERLIN`)).json).toMatchObject({ status: "ok", warning: null });
    });
    test.each(["Mars/Olympus", "%2B02:00", "", "Europe/Berlin%20"])("%s is refused", (timezone) =>
      expectRefused(`${SCHEDULE}&timezone=${timezone}`, "timezone"),
    );
  });

  describe("the query string", () => {
    test("R7: of a parameter given twice the last one counts", async () => {
      const failed = await report("message=first&message=last", "/fail");
      expect(failed.json?.[messageField]).toBe("last");
      expect((await report("gracePeriod=nonsense&gracePeriod=60")).status).toBe(200);
      await expectRefused(`${SCHEDULE}&gracePeriod=60&gracePeriod=nonsense`, "gracePeriod");
    });

    test.each(["unknown=1", "%zz=1", "&&&", "=", "unknown=%zz", "gracePeriodX=1", "GRACEPERIOD=1", "a=b=c"])(
      "R7: unknown parameters are ignored: %s",
      async (query) => {
        expect((await reportRaw(`${SCHEDULE}&${query}`)).status).toBe(200);
      },
    );

    test.each([
      ["disk+full", "disk full"],
      ["disk%20full", "disk full"],
      ["1%2B1", "1+1"],
      ["a=b", "a=b"],
      ["50%25", "50%"],
      ["%C3%BCber", "über"],
      ["line%0Atwo", "line\ntwo"],
      ["a%26b", "a&b"],
      ["what?", "what?"],
    ])("R5: values are decoded, + is a space: %s", async (sent, message) => {
      const answer = await reportRaw(`${SCHEDULE}&message=${sent}`, "/fail");
      expect(answer).toMatchObject({ status: 200, json: { [messageField]: message } });
    });

    test("names are decoded as well", async () => {
      const answer = await reportRaw(`${SCHEDULE}&mess%61ge=named`, "/fail");
      expect(answer.json?.[messageField]).toBe("named");
    });

    test.each(["schedule", "gracePeriod", "name", "run_id", "attempt", "age", "duration", "timezone", "maxRuntime"])(
      "a broken escape in %s is 400",
      async (name) => {
        const query = name === "schedule" ? "" : `${SCHEDULE}&`;
        for (const value of ["%zz", "%", "%ff"]) await expectRefused(`${query}${name}=${value}`, name);
      },
    );

    test("a broken escape in message is 400", () =>
      expectRefused(`${SCHEDULE}&message=%zz`, "message", "INVALID_REQUEST", "/fail"));
  });
});

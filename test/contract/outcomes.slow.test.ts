// The contract's rules on outcomes (R27), over HTTP: what a body, another body or none at all comes to where outcomes
// are expected. That a complete is answered whatever it reports, and what is told of it. The form of a body is tested
// beside this file.

import { describe, expect, test } from "bun:test";
import type { Expectation } from "../../src/domain/monitor/reported-outcomes.ts";
import { policyWith } from "../support/engine.ts";
import type { Answer } from "../support/http-client.ts";
import { VERSIONS } from "../support/versions.ts";
import { type WatchedService, watchService } from "../support/watched-service.ts";

const asked = (one: Partial<Expectation>): Expectation => ({
  equals: null,
  min: null,
  max: null,
  onFailure: "fail",
  ...one,
});

const EXPECTED = new Map([
  ["rows", asked({ min: 1 })],
  ["__proto__", asked({ equals: true })],
  ["errors", asked({ max: 0, onFailure: "warn" })],
]);

const POLICY = policyWith({ monitors: { job: { schedule: "0 * * * *", outcomes: EXPECTED } } });

const GOOD = '{"outcomes":{"rows":12,"__proto__":true,"errors":0}}';
const MISSING =
  "rows is missing, expected at least 1; __proto__ is missing, expected true; errors is missing, expected at most 0";

describe.each(VERSIONS)("$title", ({ root }) => {
  const watch = (): WatchedService => watchService("10:00:00", POLICY, root);

  const complete = (
    service: WatchedService,
    body?: string,
    type = "application/json",
    method = "POST",
  ): Promise<Answer> => {
    const carried = body === undefined ? {} : { body, headers: { "content-type": type } };
    return service.ask(`${root}/ping/job/${service.key}/complete`, { method, ...carried });
  };

  const messageOf = ({ instance }: WatchedService) => instance.monitor().incident?.message ?? null;

  const seen = (service: WatchedService) => [service.status(), ...service.news()];

  const FAILED = ["critical", "10:00:00 InitialFailure outcome"];

  test("R27: all as expected is a success", async () => {
    await using service = watch();
    expect(await complete(service, GOOD)).toMatchObject({ status: 200, json: { status: "completed" } });
    expect(seen(service)).toEqual(["healthy"]);
  });

  test("R27: what nobody expects is accepted and not stored (rule 1)", async () => {
    await using service = watch();
    await complete(service, '{"outcomes":{"rows":12,"note":7,"__proto__":true,"errors":0,"clean":false}}');
    expect(seen(service)).toEqual(["healthy"]);
    const kept = service.instance.store.database.query("SELECT outcomes FROM pings").all();
    expect(kept).toEqual([{ outcomes: '{"rows":12,"__proto__":true,"errors":0}' }]);
  });

  test.each([
    ['{"outcomes":{"rows":0,"__proto__":true,"errors":0}}', "rows was 0, expected at least 1"],
    ['{"outcomes":{"rows":true,"__proto__":true,"errors":0}}', "rows was true, expected at least 1"],
    ['{"outcomes":{"rows":1,"__proto__":false,"errors":0}}', "__proto__ was false, expected true"],
    ['{"outcomes":{"rows":9,"rows":-1e3,"__proto__":true,"errors":0}}', "rows was -1000, expected at least 1"],
  ])(
    "R27: a value that is not as expected fails the check, and the complete is answered: %s",
    async (body, message) => {
      await using service = watch();
      expect(await complete(service, body)).toMatchObject({
        status: 200,
        json: { status: "completed", duration: null },
      });
      expect([...seen(service), messageOf(service)]).toEqual([...FAILED, message]);
    },
  );

  test.each(["{}", '{"outcomes":{}}', '{"outcomes":{"note":1}}', ""])(
    "R27: a key that is omitted fails the check (rule 2): the body %j",
    async (body) => {
      await using service = watch();
      expect((await complete(service, body)).status).toBe(200);
      expect([...seen(service), messageOf(service)]).toEqual([...FAILED, MISSING]);
    },
  );

  test("R9, R27: no body, one of another type, and a GET are no body: all is missing", async () => {
    for (const [body, type, method] of [
      [undefined, "", "POST"],
      [GOOD, "text/plain", "POST"],
      [undefined, "", "GET"],
    ] as const) {
      await using service = watch();
      expect((await complete(service, body, type, method)).status).toBe(200);
      expect([...seen(service), messageOf(service)]).toEqual([...FAILED, MISSING]);
    }
  });

  test("R27: a heartbeat fails them as missing, and is told so (rule 3)", async () => {
    await using service = watch();
    const warning = "The outcome checks of this monitor cannot be met by a heartbeat: use complete, with a JSON body.";
    expect(await service.report("10:00:00")).toMatchObject({ status: 200, json: { status: "ok", warning } });
    expect([...seen(service), messageOf(service)]).toEqual([...FAILED, MISSING]);
    expect((await service.report("10:00:00", "/0")).json).toMatchObject({ warning });
  });

  test("R27: a heartbeat has no outcome body, even when it brings one", async () => {
    await using service = watch();
    const headers = { "content-type": "application/json" };
    await service.ask(`${root}/ping/job/${service.key}`, { method: "POST", body: GOOD, headers });
    expect(seen(service)).toEqual(FAILED);
  });

  test("R18, R27: what only warns is a success with the status warning", async () => {
    await using service = watch();
    await complete(service, '{"outcomes":{"rows":12,"__proto__":true,"errors":3}}');
    expect(seen(service)).toEqual(["warning"]);
    await complete(service, GOOD);
    expect(seen(service)).toEqual(["healthy"]);
  });

  test("R23: a good complete recovers, and nothing of what was wrong comes with it", async () => {
    await using service = watch();
    await complete(service, '{"outcomes":{"rows":0,"__proto__":true}}');
    service.at("10:05:00");
    await complete(service, GOOD);
    expect(seen(service)).toEqual(["healthy", "10:00:00 InitialFailure outcome", "10:05:00 Recovered outcome"]);
  });

  test("R27: a malformed body is 400 and nothing is recorded: no check has failed", async () => {
    await using service = watch();
    for (const body of ['{"outcomes":{"rows":"12"}}', '{"outcomes":{"rows":1e999}}', '{"outcomes":[]}', "nonsense"])
      expect((await complete(service, body)).status).toBe(400);
    expect([seen(service), service.instance.count("pings")]).toEqual([["pending"], 0]);
  });

  test("R11: a repeat gets the first answer, whatever it carries", async () => {
    await using service = watch();
    const headers = { "content-type": "application/json", "idempotency-key": "k" };
    const path = `${root}/ping/job/${service.key}/complete`;
    const first = await service.ask(path, { method: "POST", body: '{"outcomes":{"rows":0}}', headers });
    service.at("10:05:00");
    const again = await service.ask(path, { method: "POST", body: GOOD, headers });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(seen(service)).toEqual(FAILED);
  });
});

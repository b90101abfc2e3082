// The contract's 402 (R34), over HTTP: a report that would create one monitor more than the application may have. What
// counts and what makes room is tested with the engine.

import { describe, expect, test } from "bun:test";
import { policyWith } from "../support/engine.ts";
import { VERSIONS } from "../support/versions.ts";
import { watchService } from "../support/watched-service.ts";

const POLICY = policyWith({ prod: { maxActiveMonitors: 2 } });
const DAILY = "schedule=0+3+*+*+*";

describe.each(VERSIONS)("$title", ({ root }) => {
  test("R34: one more is 402 PLAN_LIMIT_REACHED, whatever it reports, and those that are there keep recording", async () => {
    await using service = watchService("10:00:00", POLICY, root);
    const report = (monitor: string, rest = "") => service.ask(`${root}/ping/${monitor}/${service.key}${rest}`);
    for (const monitor of ["a", "b"]) expect((await report(monitor, `?${DAILY}`)).status).toBe(200);
    for (const operation of ["", "/start", "/complete", "/fail", "/0", "/1"]) {
      expect(await report("c", `${operation}?${DAILY}`)).toMatchObject({
        status: 402,
        json: {
          error: "PLAN_LIMIT_REACHED",
          message:
            'monitor "c" would be one too many: application "prod" may have 2 active monitors ' +
            "(applications.prod.max_active_monitors); pause or delete another, or raise the setting",
        },
      });
    }
    expect((await report("c")).status).toBe(404);
    expect((await report("c", "?schedule=nonsense")).status).toBe(400);
    for (const operation of ["", "/start", "/complete", "/fail"])
      expect((await report("a", `${operation}?${DAILY}`)).status).toBe(200);
  });

  test("R34: first reports that come at the same moment never make more than there may be", async () => {
    await using service = watchService("10:00:00", POLICY, root);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        service.ask(`${root}/ping/job-${index}/${service.key}?${DAILY}`, { method: "POST" }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, ...Array(18).fill(402)]);
    expect(service.instance.count("monitors")).toBe(2);
  });
});

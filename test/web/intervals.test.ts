// R44: what a job's page says of one that must report every so often, while it runs and where it is late.

import { expect, test } from "bun:test";
import { MINUTE, SECOND } from "../../src/domain/time.ts";
import { NOON, openService, ping, policyWith } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";

const WORKER = { monitorKey: "worker", schedule: null, everySeconds: 1_500 } as const;

/** A job every 25 minutes, whose last end was at noon, and its page. */
async function openWorker() {
  const stack = new AsyncDisposableStack();
  const service = stack.use(openService(policyWith({ timezone: "UTC" })));
  service.engine.operate("app create", { slug: "prod" });
  const pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
  stack.defer(() => pages.stop(0));
  await service.send(ping(WORKER));
  /** What stands in a part of its page, as people read it. */
  const part = async (id: string): Promise<string> => {
    const page = await (await fetch(`${pages.url}/jobs/prod/worker`)).text();
    const from = page.indexOf(`id="${id}"`);
    return page
      .slice(from, page.indexOf({ headline: "</header>", "job-facts": "</dl>" }[id] ?? "</section>", from))
      .replace(/<[^>]*>/g, "")
      .replaceAll("&#39;", "'")
      .replace(/\s+/g, " ");
  };
  return { service, part, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test("R21, R44: one that is late while a run has time left says so, and until when", async () => {
  await using worker = await openWorker();
  const { service, part } = worker;
  service.at(NOON + 20 * MINUTE);
  await service.send(ping({ ...WORKER, kind: "start" }));
  expect(await part("headline")).toContain("has been running for");
  service.at(NOON + 30 * MINUTE);
  expect(await part("headline")).toContain("late Worker");
  expect(await part("headline")).toContain("has been running for 10 min, and has time until 12:46");
  // It is over, and what comes after the slot is no longer its.
  service.look(NOON + 46 * MINUTE + 5 * SECOND);
  expect(await part("headline")).toContain("has not finished: it was to end by 12:46");
});

test("R44: the line that reports it carries its interval, and scripts get it", async () => {
  await using worker = await openWorker();
  const reporting = await worker.part("job-reporting");
  expect(reporting).toMatch(/\/api\/v1\/ping\/worker\/KEY\?every=25m'/);
  expect(reporting).toContain("MONITOR='worker' EVERY='25m'");
  expect(reporting).toContain("/usr/bin/rollcall run --every 25m worker -- COMMAND");
  expect(reporting).toContain("and “every” in the place of “schedule”");
});

test("R44: its facts name its interval and no schedule", async () => {
  await using worker = await openWorker();
  const facts = await worker.part("job-facts");
  expect(facts).toContain("every25 min, counted from its last end declared");
  expect(facts).not.toContain("schedule");
});

test("what a person sets is told with its values, and of a new job that nothing has happened", async () => {
  await using worker = await openWorker();
  const { service, part } = worker;
  service.engine.operate("monitor create", { application: "prod", key: "imported", schedule: "0 3 * * *" });
  const set = { application: "prod", key: "worker", graceSeconds: 7_200, name: "Mail <1>", unset: "timezone" };
  service.engine.operate("monitor set", set);
  expect(await part("job-story")).toContain(
    "Settings changed by commandname: the default became Mail &lt;1&gt;grace: the default became 2 h",
  );
});

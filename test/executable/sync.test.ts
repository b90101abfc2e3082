// A recorded session of a scheduler integration against the executable: what it declares, step by step, what it is
// answered, and what sync status says after each step. The default limits hold.

import { expect, setDefaultTimeout, test } from "bun:test";
import { firstKeyOf, openFolder, type Service } from "../support/executable.ts";
import { ask, basic } from "../support/http-client.ts";

setDefaultTimeout(120_000);

const CONFIGURATION = `
[applications.prod]
max_active_monitors = 60
`;

interface Job {
  readonly key: string;
  readonly schedule: string;
}

const job = (index: number, schedule = `${index % 60} 3 * * *`): Job => ({ key: `job-${index}`, schedule });
const jobs = (from: number, to: number): Job[] =>
  Array.from({ length: to - from + 1 }, (_, offset) => job(from + offset));

/** Syncs; answers the summary, with how many were beyond the plan, and how many monitors now have each status. */
async function step({ url }: Service, key: string, monitors: readonly Job[]) {
  const headers = { ...basic(key), "content-type": "application/json" };
  const body = JSON.stringify({ source: "acme-scheduler", version: "2.4.1", mode: "reconcile", monitors });
  const answer = await ask(`${url}/api/v1/sync`, { method: "POST", headers, body });
  expect(answer.status).toBe(200);
  const { summary, created } = answer.json as { summary: Record<string, number>; created: { action: string }[] };
  const limited = created.filter(({ action }) => action === "created_plan_limited").length;
  const status = await ask(`${url}/api/v1/sync/status`, { headers: basic(key) });
  const { monitors: shown } = status.json as { monitors: { status: string }[] };
  const counts: Record<string, number> = {};
  for (const monitor of shown) counts[monitor.status] = (counts[monitor.status] ?? 0) + 1;
  return { summary, limited, counts };
}

const summary = (changes: Record<string, number>) => ({
  created: 0,
  updated: 0,
  unchanged: 0,
  removed: 0,
  errors: 0,
  ...changes,
});

test("60 declared, 5 changed, 10 dropped, one invalid, 3 back, beyond the capacity, and an empty list", async () => {
  await using folder = openFolder({ "rollcall.toml": CONFIGURATION });
  let service = await folder.serve();
  const key = firstKeyOf(service);

  expect(await step(service, key, jobs(1, 60))).toEqual({
    summary: summary({ total: 60, created: 60 }),
    limited: 0,
    counts: { pending: 60 },
  });

  const changed = [...jobs(1, 5).map(({ key: name }) => ({ key: name, schedule: "30 4 * * 1-5" })), ...jobs(6, 60)];
  expect(await step(service, key, changed)).toEqual({
    summary: summary({ total: 60, updated: 5, unchanged: 55 }),
    limited: 0,
    counts: { pending: 60 },
  });

  const fewer = changed.slice(0, 50);
  expect(await step(service, key, fewer)).toEqual({
    summary: summary({ total: 50, unchanged: 50, removed: 10 }),
    limited: 0,
    counts: { pending: 50, paused: 10 },
  });

  // With one that is invalid nothing is removed, though another 10 are not named.
  expect(await step(service, key, [...fewer.slice(0, 40), { key: "broken", schedule: "every day" }])).toEqual({
    summary: summary({ total: 41, unchanged: 40, errors: 1 }),
    limited: 0,
    counts: { pending: 50, paused: 10 },
  });

  expect(await step(service, key, [...fewer, ...jobs(51, 53)])).toEqual({
    summary: summary({ total: 53, unchanged: 50, updated: 3 }),
    limited: 0,
    counts: { pending: 53, paused: 7 },
  });

  // Nothing of it is in memory alone.
  expect(await service.end("SIGKILL")).toBeGreaterThan(0);
  service = await folder.serve();

  expect(await step(service, key, [...fewer, ...jobs(51, 53), ...jobs(101, 110)])).toEqual({
    summary: summary({ total: 63, unchanged: 53, created: 10, errors: 3 }),
    limited: 3,
    counts: { pending: 60, paused: 10 },
  });

  expect(await step(service, key, [])).toEqual({
    summary: summary({ total: 0, removed: 63 }),
    limited: 0,
    counts: { paused: 70 },
  });
  // The answer may come before what is logged of it.
  expect(await service.logged("synced", { paused_removed: 63 })).toMatchObject({
    application: "prod",
    source: "acme-scheduler",
    version: "2.4.1",
    errors: 0,
  });
});

// R47: a job's page has the address for mail beside the line for curl, where mail is taken, and never a key.

import { expect, test } from "bun:test";
import { openService, policyWith } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";

test.each([
  ["jobs.example.org", "nightly-backup", "nightly-backup+KEY@jobs.example.org"],
  ["jobs.example.org", "a job / of ours", null],
  [undefined, "nightly-backup", null],
])("where mail goes to %p, the page of %p shows %p", async (mailDomain, key, address) => {
  using service = openService(policyWith({ timezone: "UTC" }));
  service.engine.operate("app create", { slug: "prod" });
  service.engine.operate("monitor create", { application: "prod", key, schedule: "0 3 * * *" });
  const pages = startPages(service.engine, mailDomain === undefined ? {} : { mailDomain });
  const page = await (await fetch(`${pages.url}/jobs/prod/${encodeURIComponent(key)}`)).text();
  await pages.stop(0);
  expect(page).toContain("How it reports");
  expect(page.includes("KEY@")).toBe(address !== null);
  if (address !== null) expect(page).toContain(address);
});

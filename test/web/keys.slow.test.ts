// Applications and keys on the dashboard: who may see and do what, a key that is shown once and stands nowhere else,
// and what is said before one is revoked. The real server and engine, and a real browser.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isRefusal } from "../../src/domain/errors.ts";
import type { Role } from "../../src/domain/people/person.ts";
import type { Server } from "../../src/http/server.ts";
import { openService, ping, policyWith, type Service } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";
import { accessibilityFaults, browserCommand, faultsOfPages, openPage } from "./browser.ts";

const HOSTILE = `<script>document.title="owned"</script>"'&\u202e 😀 ${"x".repeat(120)}`;

/** `prod` with two jobs and no key, `staging` with nothing. */
async function openKeys(): Promise<Service> {
  const service = openService();
  granted(service.engine.operate("app create", { slug: "staging" }));
  await service.send(
    ping({ monitorKey: "backup", name: "Nightly backup", schedule: "0 2 * * *" }),
    ping({ monitorKey: "hostile", name: HOSTILE, schedule: "0 4 * * *" }),
  );
  return service;
}

const keyOf = (service: Service, scope: "all" | "ping" | "sync" = "all", application = "prod") =>
  granted(service.engine.operate("key create", { application, scope }));

const listed = (service: Service) => granted(service.engine.operate("key list", {})).keys;

/** The pages as somebody of this role sees them. */
function asked(service: Service, role: Role = "admin", applications: readonly string[] | null = null) {
  const viewer = { id: 1, name: "Ada", role, applications, sessionId: 1, address: "192.0.2.7" };
  const logged: string[] = [];
  const pages = startPages(service.engine, {
    viewer,
    clock: { now: () => service.now, monotonic: () => performance.now() },
    log: (_, event, fields) => void logged.push(`${event} ${JSON.stringify(fields)}`),
  });
  const read = async (answer: Response) => ({
    ...answer,
    status: answer.status,
    headers: answer.headers,
    text: plain(await answer.text()),
  });
  return {
    logged,
    get: async (path: string) => read(await fetch(pages.url + path, { redirect: "manual" })),
    post: async (path: string, fields: Record<string, string> = {}, site = "same-origin") =>
      read(
        await fetch(pages.url + path, {
          method: "POST",
          headers: { "sec-fetch-site": site },
          body: new URLSearchParams(fields),
          redirect: "manual",
        }),
      ),
    [Symbol.asyncDispose]: () => pages.stop(0),
  };
}

const plain = (html: string): string => html.replaceAll(/\s+/g, " ");

describe("the page of keys", () => {
  test("shows administrators each application with its jobs and keys, and when each was made and used", async () => {
    using service = await openKeys();
    const { key } = keyOf(service);
    keyOf(service, "sync");
    service.engine.intake.authenticate(key);
    await using pages = asked(service);
    const { status, text, headers } = await pages.get("/keys");
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(text).toContain("2 keys for 2 applications.");
    expect(text).toMatch(/Key 1<\/a><span class="cell">reports and syncs<.*?>last used <time/);
    expect(text).toMatch(/Key 2<\/a><span class="cell">syncs<.*?last used never/);
    expect(text).toContain("No key works for staging: no job of it can report.");
    expect(text).not.toContain(key);
  });

  test.each(["viewer", "operator"] as const)(
    "shows a %s the applications, and neither keys nor forms",
    async (role) => {
      using service = await openKeys();
      keyOf(service);
      await using pages = asked(service, role);
      const { status, text } = await pages.get("/keys");
      expect(status).toBe(200);
      expect(text).toContain("2 applications.");
      expect(text).not.toMatch(/Key 1|Make a key|Create it|href="\/keys"/);
    },
  );

  test("shows somebody who is restricted to applications theirs alone", async () => {
    using service = await openKeys();
    keyOf(service);
    keyOf(service, "all", "staging");
    await using pages = asked(service, "admin", ["staging"]);
    const { text } = await pages.get("/keys");
    expect(text).toContain("1 key for 1 application.");
    expect(text).not.toMatch(/prod|Key 1<|Create it/);
  });

  test("takes the name of an application for text", async () => {
    using service = openService(policyWith({ prod: { name: HOSTILE } }));
    await using pages = asked(service);
    const { text } = await pages.get("/keys");
    expect(text).not.toContain("<script>document");
    expect(text).toContain("&lt;script>document".replace(">", "&gt;"));
  });
});

describe("a new key", () => {
  test("is shown once with a line that works, and stands in no address, log, cache or audit", async () => {
    using service = await openKeys();
    await using pages = asked(service);
    const { status, text, headers } = await pages.post("/keys", { application: "prod", scope: "ping", newest: "0" });
    const key = /ck_app_prod_\w{32}/.exec(text)?.[0] ?? "";
    expect([status, headers.get("location"), headers.get("cache-control")]).toEqual([200, null, "no-store"]);
    expect(text).toMatch(
      new RegExp(`curl [^<]*http://127\\.0\\.0\\.1:\\d+/api/v1/ping/my-first-job/${key}\\?schedule=`),
    );
    expect(service.engine.intake.authenticate(key)).toMatchObject({ application: "prod", scope: "ping" });
    expect((await pages.get("/keys")).text).not.toContain(key);
    expect(JSON.stringify([pages.logged, service.logged])).not.toContain(key);
    const audit = granted(service.engine.operate("audit", {})).entries;
    expect(audit[0]).toMatchObject({ action: "key create", name: "Ada", address: "192.0.2.7", application: "prod" });
    expect(JSON.stringify(audit)).not.toContain(key);
  });

  test("is made once by a form that is sent twice, as by a page that is loaded again", async () => {
    using service = await openKeys();
    await using pages = asked(service);
    const form = { application: "prod", scope: "all", newest: "0" };
    expect((await pages.post("/keys", form)).status).toBe(200);
    const again = await pages.post("/keys", form);
    expect(again.status).toBe(400);
    expect(again.text).toContain("a key is shown once, and is not shown again");
    expect(listed(service)).toHaveLength(1);
  });

  test("for syncs alone comes with a line that it may be used for", async () => {
    using service = await openKeys();
    await using pages = asked(service);
    const { text } = await pages.post("/keys", { application: "staging", scope: "sync", newest: "0" });
    expect(text).toContain("/api/v1/sync/status");
    expect(text).not.toContain("/api/v1/ping/");
  });

  test("that replaces another comes without a line that would make a job", async () => {
    using service = await openKeys();
    await using pages = asked(service);
    granted(service.engine.operate("key create", { application: "prod" }));
    const { text } = await pages.post("/keys/1/rotate", {});
    expect(text).toContain("It replaces key 1");
    expect(text).not.toContain("curl ");
  });

  test.each([
    ["a viewer", "viewer", null],
    ["an operator", "operator", null],
    ["an administrator of another application", "admin", ["staging"]],
  ] as const)("is not made by %s", async (_, role, applications) => {
    using service = await openKeys();
    await using pages = asked(service, role, applications);
    for (const newest of [{}, { newest: "0" }, { newest: "7" }])
      expect((await pages.post("/keys", { application: "prod", ...newest })).status).toBe(403);
    expect(listed(service)).toEqual([]);
  });

  test("is not made by a form of another site, or with a scope that there is not", async () => {
    using service = await openKeys();
    await using pages = asked(service);
    expect((await pages.post("/keys", { application: "prod" }, "cross-site")).status).toBe(403);
    expect((await pages.post("/keys", { application: "prod", scope: "everything" })).status).toBe(400);
    expect((await pages.post("/keys", { application: "none" })).status).toBe(404);
    const long = await pages.post("/keys", { application: "prod", scope: "sync", label: "x".repeat(500) });
    expect([long.status, long.text.match(/id="[^"]+-wrong"/g)]).toEqual([400, ['id="application-prod-label-wrong"']]);
    expect(long.text).toContain('<option value="sync" selected=""');
    expect(listed(service)).toEqual([]);
  });
});

describe("before a key is revoked, its page says", () => {
  test("that all jobs stop, if it is the only one they can report with", async () => {
    using service = await openKeys();
    const { key, id } = keyOf(service);
    keyOf(service, "sync");
    service.engine.intake.authenticate(key);
    await using pages = asked(service);
    const { text } = await pages.get(`/keys/${id}/revoke`);
    expect(text).toContain("It is the only key by which jobs of prod can report. All 2 stop reporting at once");
    expect(text).toContain('<a href="/jobs/prod/backup">Nightly backup</a>');
    expect(text).not.toContain("<script>document");
  });

  test("which jobs reported with it last, if there are others", async () => {
    using service = await openKeys();
    const { key, id } = keyOf(service);
    keyOf(service, "ping");
    service.engine.intake.authenticate(key);
    await using pages = asked(service);
    expect((await pages.get(`/keys/${id}/revoke`)).text).toContain(
      "prod has 1 other key for reports. No job reported with this one last, as far as rollcall has seen.",
    );
  });

  test("that nothing should stop, if it was never used; and what syncs are, if it is for those", async () => {
    using service = await openKeys();
    const unused = keyOf(service);
    const syncing = keyOf(service, "sync");
    service.engine.intake.authenticate(syncing.key);
    await using pages = asked(service);
    expect((await pages.get(`/keys/${unused.id}/revoke`)).text).toContain("Nothing that works now should stop.");
    expect((await pages.get(`/keys/${syncing.id}/revoke`)).text).toContain("Reports go on.");
  });
});

describe("a key's page", () => {
  test("says who uses it, keeps a name for it, and is for administrators of its application alone", async () => {
    using service = await openKeys();
    const { id } = keyOf(service);
    await using pages = asked(service);
    expect((await pages.get(`/keys/${id}`)).text).toContain("no job, as far as rollcall has seen");
    service.store.senders.save(1, { keyId: id, address: "192.0.2.9", agent: null }, service.now);
    expect((await pages.get(`/keys/${id}`)).text).toMatch(/last report of<\/dt><dd><a href="[^"]+backup">backup</);
    expect((await pages.get(`/keys/${id}/revoke`)).status).toBe(200);
    const named = await pages.post(`/keys/${id}/label`, { label: " <b>web-1</b> " });
    expect([named.status, named.headers.get("location")]).toEqual([303, `/keys/${id}`]);
    expect((await pages.get("/keys")).text).toContain(`Key ${id}, &lt;b&gt;web-1&lt;/b&gt;`);
    const wrong = await pages.post(`/keys/${id}/label`, { label: "x".repeat(500) });
    expect([wrong.status, wrong.text.includes("It is longer than 100 characters")]).toEqual([400, true]);
    for (const [role, applications, status] of [
      ["viewer", null, 403],
      ["operator", null, 403],
      ["admin", ["staging"], 404],
    ] as const) {
      await using others = asked(service, role, applications);
      expect((await others.get(`/keys/${id}`)).status).toBe(status);
      for (const path of [`/keys/${id}/label`, `/keys/${id}/rotate`])
        expect([path, (await others.post(path, { label: "y", overlapSeconds: "0s" })).status]).toEqual([path, 403]);
    }
    expect(listed(service)).toMatchObject([{ label: "<b>web-1</b>", worksUntil: null, revokedAt: null }]);
  });

  test("replaces it: the new key is shown once, the old one works as long as was chosen, and a second form does nothing", async () => {
    using service = await openKeys();
    const { key: old, id } = keyOf(service, "ping");
    await using pages = asked(service);
    const form = { newest: String(id), overlapSeconds: "1d" };
    const made = await pages.post(`/keys/${id}/rotate`, form);
    const [key = ""] = /ck_app_prod_\w{32}/.exec(made.text) ?? [];
    expect(made.text).toMatch(new RegExp(`It replaces key ${id}, which.*still works`, "s"));
    expect([old, key].map((one) => isRefusal(service.engine.intake.authenticate(one)))).toEqual([false, false]);
    const again = await pages.post(`/keys/${id}/rotate`, form);
    expect([again.status, again.text.includes("is not shown again")]).toEqual([400, true]);
    expect(listed(service)).toHaveLength(2);
    expect((await pages.get("/keys")).text).toMatch(/replaced, ends <time/);
    service.look(service.now + 25 * 3_600_000);
    expect([old, key].map((one) => isRefusal(service.engine.intake.authenticate(one)))).toEqual([true, false]);
    for (const overlapSeconds of ["-1", "1e99", "x", "500d"])
      expect((await pages.post(`/keys/${id + 1}/rotate`, { overlapSeconds })).status).toBe(400);
    expect((await pages.get("/keys/99")).status).toBe(404);
  });
});

describe("an application", () => {
  test("is suspended and resumed by its administrators alone, and the page says so", async () => {
    using service = await openKeys();
    const { key } = keyOf(service);
    await using pages = asked(service);
    for (const [role, applications] of [
      ["viewer", null],
      ["operator", null],
      ["admin", ["staging"]],
    ] as const) {
      await using others = asked(service, role, applications);
      for (const action of ["suspend", "resume"])
        expect((await others.post(`/applications/prod/${action}`)).status).toBe(403);
    }
    expect(service.engine.intake.authenticate(key)).toMatchObject({ application: "prod" });
    expect((await pages.post("/applications/prod/suspend")).headers.get("location")).toBe("/keys#application-prod");
    expect(isRefusal(service.engine.intake.authenticate(key))).toBe(true);
    expect((await pages.get("/keys")).text).toMatch(/Suspended: its reports are refused/);
    await pages.post("/applications/prod/resume");
    expect(service.engine.intake.authenticate(key)).toMatchObject({ application: "prod" });
    expect((await pages.post("/applications/nowhere/suspend")).status).not.toBe(303);
  });
});

test("the button of an empty overview makes one key, however often its page is loaded again", async () => {
  using service = openService();
  await using pages = asked(service);
  const { text } = await pages.get("/");
  const [, newest = ""] = /name="newest" value="(\d+)"/.exec(text) ?? [];
  const form = { application: "prod", newest };
  expect([(await pages.post("/keys", form)).status, (await pages.post("/keys", form)).status]).toEqual([200, 400]);
  expect(listed(service)).toHaveLength(1);
});

describe("revoking a key", () => {
  test("refuses it at once, leads back to its application and stands in the audit", async () => {
    using service = await openKeys();
    const { key, id } = keyOf(service);
    await using pages = asked(service);
    const { status, headers } = await pages.post(`/keys/${id}/revoke`);
    expect([status, headers.get("location")]).toEqual([303, "/keys#application-prod"]);
    expect(service.engine.intake.authenticate(key)).toMatchObject({ refusal: "AUTHENTICATION_REQUIRED" });
    expect((await pages.get("/keys")).text).toContain("1 revoked key");
    const [entry] = granted(service.engine.operate("audit", {})).entries;
    expect(entry).toMatchObject({ action: "key revoke", name: "Ada", application: "prod" });
    expect((await pages.get(`/keys/${id}/revoke`)).status).toBe(404);
  });

  test.each([
    ["a viewer", "viewer", null, 403],
    ["an operator", "operator", null, 403],
    ["an administrator of another application", "admin", ["staging"], 404],
  ] as const)("is not for %s", async (_, role, applications, seen) => {
    using service = await openKeys();
    const { key, id } = keyOf(service);
    await using pages = asked(service, role, applications);
    expect((await pages.get(`/keys/${id}/revoke`)).status).toBe(seen);
    expect((await pages.post(`/keys/${id}/revoke`)).status).toBe(403);
    expect(service.engine.intake.authenticate(key)).toMatchObject({ application: "prod" });
  });

  test("of one that there is not is 404", async () => {
    using service = await openKeys();
    await using pages = asked(service);
    for (const id of ["99", "nothing", "1.5", "1e99"]) {
      expect((await pages.get(`/keys/${id}/revoke`)).status).toBe(404);
      expect((await pages.post(`/keys/${id}/revoke`)).status).toBe(404);
    }
  });
});

describe("a new application", () => {
  test("is created, and the page leads to it", async () => {
    using service = await openKeys();
    await using pages = asked(service);
    const { status, headers } = await pages.post("/applications", { slug: " home " });
    expect([status, headers.get("location")]).toEqual([303, "/keys#application-home"]);
    const [entry] = granted(service.engine.operate("audit", {})).entries;
    expect(entry).toMatchObject({ action: "app create", name: "Ada", details: { slug: "home" } });
  });

  test("that cannot be says why, and keeps what was written, as text", async () => {
    using service = await openKeys();
    await using pages = asked(service);
    const wrong = await pages.post("/applications", { slug: HOSTILE });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain("must be 1 to 40 characters");
    expect(wrong.text).not.toContain("<script>document");
    const known = await pages.post("/applications", { slug: "prod" });
    expect([known.status, /Application &quot;prod&quot; exists already\./.test(known.text)]).toEqual([400, true]);
    expect(known.text).toContain('value="prod"');
  });

  test.each([
    ["an operator", "operator", null],
    ["an administrator of some applications only", "admin", ["prod"]],
  ] as const)("is not for %s", async (_, role, applications) => {
    using service = await openKeys();
    await using pages = asked(service, role, applications);
    expect((await pages.post("/applications", { slug: "home" })).status).toBe(403);
    expect(granted(service.engine.operate("app list", {})).applications).toHaveLength(2);
  });
});

describe.if(browserCommand !== null)("in a browser, keys", () => {
  let service: Service;
  let pages: Server;

  beforeAll(async () => {
    service = await openKeys();
    const { key } = keyOf(service);
    granted(service.engine.operate("key revoke", { id: keyOf(service).id }));
    service.engine.intake.authenticate(key);
    for (const [address, key] of [
      ["/ping/0b6f3a1c-5d2e-4c3b-9f4e-6a7b8c9d0e1f", "backup"],
      [`/ping/fqood6f4mmnucenztu01wx/${"a-slug-".repeat(14)}`, "hostile"],
      ["/api/push/Wd4Kq8Zt1xAbCdEfGhIjKlMnOpQrStUv", "backup"],
    ] as const)
      granted(service.engine.operate("address add", { address, key }));
    service.engine.intake.atOldAddress("/ping/0b6f3a1c-5d2e-4c3b-9f4e-6a7b8c9d0e1f");
    pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
  });
  afterAll(async () => {
    await pages.stop(0);
    service[Symbol.dispose]();
  });

  test("are accessible and fit the window", async () => {
    const urls = ["/keys", "/keys/1", "/keys/1/revoke", "/addresses/3/revoke"].map((path) => pages.url + path);
    expect(await faultsOfPages(urls)).toEqual([]);
  });

  test("are made and revoked, with script and without", async () => {
    for (const javaScriptEnabled of [true, false]) {
      await using opened = await openPage(`${pages.url}/keys`, { javaScriptEnabled });
      const { page } = opened;
      const staging = page.locator("#application-staging");
      await staging.locator("select").selectOption("ping");
      await staging.getByRole("button", { name: "Make a key" }).click();
      expect(await page.locator(".code").first().textContent()).toMatch(/^ck_app_staging_/);
      expect(page.url()).toBe(`${pages.url}/keys`);
      if (javaScriptEnabled) expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole("link", { name: "To all keys" }).click();
      await staging.getByRole("link", { name: "Revoke" }).click();
      await page.getByRole("button", { name: "for good" }).click();
      expect(await staging.textContent()).toContain("No key works for staging");
    }
  });
});

describe("R45: old addresses", () => {
  const UUID = "0b6f3a1c-5d2e-4c3b-9f4e-6a7b8c9d0e1f";

  async function withAddresses(): Promise<Service> {
    const service = await openKeys();
    for (const [address, key] of [
      [`/ping/${UUID}`, "backup"],
      ["/api/push/Wd4Kq8Zt1xAbCdEfGhIjKlMnOpQrStUv", "hostile"],
    ] as const)
      granted(service.engine.operate("address add", { address, key }));
    return service;
  }

  test("stand beside the keys of their application, with monitor and last use, and without what is secret", async () => {
    using service = await withAddresses();
    service.engine.intake.atOldAddress(`/ping/${UUID}`);
    await using pages = asked(service);
    const { text } = await pages.get("/keys");
    expect(text).toContain("No key works for prod: its jobs report at old addresses alone.");
    expect(text).toContain("2 old addresses");
    expect(text).toMatch(
      /…0e1f<\/span><span class="cell">Healthchecks<.*?<a href="[^"]+backup">backup<.*?last used <time/,
    );
    expect(text).toMatch(/…StUv<\/span><span class="cell">Uptime Kuma<.*?last used never/);
    expect(text).not.toContain(UUID);
    const job = await pages.get("/jobs/prod/backup");
    expect(job.text).toMatch(/old address<\/dt><dd>(?:<bdi>)?\/ping\/…0e1f/);
    expect(job.text).not.toContain(UUID);
  });

  test("are asked about before one is revoked, which works no more and is gone from the page", async () => {
    using service = await withAddresses();
    await using pages = asked(service);
    const question = await pages.get("/addresses/1/revoke");
    expect(question.text).toContain("Revoke address 1 of prod?");
    expect(question.text).toContain("It was never used.");
    const done = await pages.post("/addresses/1/revoke");
    expect([done.status, done.headers.get("location")]).toEqual([303, "/keys#application-prod"]);
    expect(service.engine.intake.atOldAddress(`/ping/${UUID}`)).toBeNull();
    expect((await pages.get("/keys")).text).toContain("1 old address:");
    for (const id of ["1", "9", "x"]) expect((await pages.get(`/addresses/${id}/revoke`)).status).toBe(404);
    expect((await pages.post("/addresses/x/revoke")).status).toBe(404);
  });

  test("a key's page of revoking counts them: jobs may report there", async () => {
    using service = await withAddresses();
    const { key } = keyOf(service);
    service.engine.intake.authenticate(key);
    await using pages = asked(service);
    expect((await pages.get("/keys/3/revoke")).text).toContain(
      "prod has 0 other keys and 2 old addresses for reports.",
    );
  });

  test("are for administrators of their application alone", async () => {
    using service = await withAddresses();
    await using viewer = asked(service, "operator");
    expect((await viewer.get("/keys")).text).not.toContain("old address");
    expect((await viewer.get("/addresses/1/revoke")).status).toBe(403);
    expect((await viewer.post("/addresses/1/revoke")).status).toBe(403);
    await using elsewhere = asked(service, "admin", ["staging"]);
    expect((await elsewhere.get("/keys")).text).not.toContain("old address");
    expect((await elsewhere.get("/addresses/1/revoke")).status).toBe(404);
    expect((await elsewhere.post("/addresses/1/revoke")).status).toBe(403);
    expect((await viewer.post("/addresses/1/revoke", {}, "cross-site")).status).toBe(403);
  });

  test("of many the first 200 are shown, and where all are", async () => {
    using service = await openKeys();
    for (let number = 0; number < 201; number++)
      granted(service.engine.operate("address add", { address: `/api/push/token-${number}-of-many`, key: "backup" }));
    await using pages = asked(service);
    const { text } = await pages.get("/keys");
    expect(text).toContain("The first of many old addresses");
    expect(text.match(/Revoke address \d+…/g)).toHaveLength(200);
  });
});

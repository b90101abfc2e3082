// People and the audit on the dashboard: for administrators of all applications alone; a link is shown once; the last
// administrator stays. The real server and engine, and a real browser.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { OURSELVES, ROLES } from "../../src/domain/people/person.ts";
import { openService, ping, type Service } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";
import { browserCommand, faultsOfPages, openPage } from "./browser.ts";

/** A browser on a busy machine takes its time. */
setDefaultTimeout(120_000);

const HASH = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(43)}$${"B".repeat(43)}`;
const HOSTILE = `<script>document.title="owned"</script>"'&\u202e 😀 ${"x".repeat(120)}`;

/** Ada, an administrator, with Ben, an operator of prod, who is signed in twice; and a job of a hostile key. */
async function openPeople(): Promise<Service> {
  const service = openService();
  const { engine } = service;
  granted(engine.operate("app create", { slug: "staging" }));
  granted(engine.operate("user create", { name: "Ada", role: "admin", passwordHash: HASH }));
  granted(engine.operate("user create", { name: "Ben", role: "operator", applications: "prod", passwordHash: HASH }));
  for (const agent of ["", "curl/8"])
    engine.people.signIn(engine.people.known("Ben")!, { address: "192.0.2.9", agent });
  await service.send(ping({ monitorKey: HOSTILE.slice(0, 100), name: HOSTILE, schedule: "0 2 * * *" }));
  granted(engine.operate("monitor pause", { application: "prod", key: HOSTILE.slice(0, 100), durationSeconds: 7200 }));
  return service;
}

type Rights = { readonly role?: (typeof ROLES)[number]; readonly applications?: readonly string[] | null };

function asked(service: Service, { role = "admin", applications = null }: Rights = {}) {
  const viewer = { id: 1, name: "Ada", role, applications, sessionId: 1, address: "192.0.2.7" };
  const clock = { now: () => service.now, monotonic: () => performance.now() };
  const pages = startPages(service.engine, { viewer, clock });
  const read = async (answer: Response) => ({
    status: answer.status,
    to: answer.headers.get("location"),
    html: await answer.clone().text(),
    text: (await answer.text()).replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " "),
  });
  return {
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

const people = (service: Service) => granted(service.engine.operate("user list", {})).people;
const newestDeed = (service: Service) => granted(service.engine.operate("audit", { limit: 1 })).entries[0];

describe("the page of people", () => {
  test("says who may sign in, with which rights, and how", async () => {
    using service = await openPeople();
    await using pages = asked(service);
    const { text } = await pages.get("/people");
    expect(text).toContain("2 people may sign in.");
    expect(text).toMatch(/Ada admin all applications created .{1,20} signed in never password set Ben/);
    expect(text).toMatch(/Ben operator prod created .{1,20} signed in .{1,20} password set sessions 2/);
  });

  test("lets somebody in by a link that is shown once and is good for the rights that were chosen", async () => {
    using service = await openPeople();
    await using pages = asked(service);
    const fields = { name: "Cat", role: "operator", applications: "staging" };
    const made = await pages.post("/people", fields);
    expect(made.status).toBe(200);
    const [path = ""] = /\/sign-in\/link\/\w{43}/.exec(made.text) ?? [];
    expect(service.engine.people.link(path.split("/").at(-1)!)).toEqual({ name: "Cat" });
    expect(people(service)[2]).toMatchObject({ name: "Cat", role: "operator", applications: ["staging"] });
    const again = await pages.post("/people", fields);
    expect([again.status, again.text.includes("exists already")]).toEqual([400, true]);
    expect(again.html).not.toContain(path);
    expect((await pages.get("/people")).html).not.toContain(path);
    expect(newestDeed(service)).toMatchObject({ name: "Ada", action: "user create", address: "192.0.2.7" });
  });

  test("says what is wrong with a name, and keeps it as text", async () => {
    using service = await openPeople();
    await using pages = asked(service);
    const wrong = await pages.post("/people", { name: HOSTILE, role: "viewer", applications: "*" });
    expect([wrong.status, wrong.text.includes("must be 1 to 64 letters")]).toEqual([400, true]);
    expect(wrong.html).not.toContain("<script>document");
    for (const fields of [{ role: "owner" }, { applications: "" }, { applications: "nowhere" }] as const)
      expect((await pages.post("/people", { name: "Cat", role: "viewer", applications: "*", ...fields })).status).toBe(
        400,
      );
    expect(people(service)).toHaveLength(2);
  });
});

describe("a person's page", () => {
  test("changes their rights, signs them out, makes a link and deletes them", async () => {
    using service = await openPeople();
    await using pages = asked(service);
    expect((await pages.get("/people/2")).text).toMatch(/role operator applications prod/);
    expect((await pages.post("/people/2/rights", { role: "viewer", applications: "*" })).to).toBe("/people/2");
    expect(people(service)[1]).toMatchObject({ role: "viewer", applications: null, sessions: 2 });
    expect((await pages.post("/people/2/sign-out")).to).toBe("/people/2");
    expect(people(service)[1]).toMatchObject({ sessions: 0 });
    const account = { issuer: "https://login.example.org", subject: "42" };
    service.store.people.setAccount(2, account);
    expect((await pages.get("/people/2")).text).toContain("the account 42 of https://login.example.org");
    expect(people(service)[1]).toMatchObject({ account });
    expect((await pages.post("/people/2/unbind")).to).toBe("/people/2");
    expect(people(service)[1]).toMatchObject({ account: null });
    expect((await pages.get("/people/2")).text).not.toContain("Unbind");
    expect((await pages.post("/people/2/link")).text).toMatch(/\/sign-in\/link\/\w{43}/);
    expect(people(service)[1]).toMatchObject({ hasPassword: false });
    expect((await pages.get("/people/2/delete")).text).toContain("Delete Ben?");
    expect((await pages.post("/people/2/delete")).to).toBe("/people");
    expect(people(service).map(({ name }) => name)).toEqual(["Ada"]);
    for (const id of ["2", "99", "x", "1e9"]) expect((await pages.get(`/people/${id}`)).status).toBe(404);
  });

  test("refuses in words to leave nobody who looks after people, and to delete oneself", async () => {
    using service = await openPeople();
    await using pages = asked(service);
    for (const fields of [
      { role: "operator", applications: "*" },
      { role: "admin", applications: "prod" },
    ]) {
      const refused = await pages.post("/people/1/rights", fields as Record<string, string>);
      expect([refused.status, refused.text.includes("Ada is the last administrator of all applications")]).toEqual([
        400,
        true,
      ]);
    }
    expect((await pages.post("/people/1/delete")).text).toContain("Nobody deletes themselves");
    expect(people(service)[0]).toMatchObject({ name: "Ada", role: "admin", applications: null });
  });
});

describe("the audit", () => {
  test("says who did what to what, and is narrowed by person, kind, application and job", async () => {
    using service = await openPeople();
    await using pages = asked(service);
    await pages.post("/people/2/sign-out");
    const all = await pages.get("/audit");
    expect(all.text).toMatch(/Ada signed a person out Ben from 192\.0\.2\.7/);
    expect(all.text).toMatch(/Ben signed in from 192\.0\.2\.9/);
    expect(all.text).toMatch(/rollcall by command paused a job: prod\/&lt;script&gt;/);
    expect(all.html).not.toContain("<script>document");
    granted(service.engine.as(OURSELVES).operate("key create", { application: "prod" }));
    expect((await pages.get("/audit")).text).toMatch(/ rollcall itself made a key: prod/);
    const count = async (query: string) =>
      ((await pages.get(`/audit?${query}`)).html.match(/class="audit-entry"/g) ?? []).length;
    expect(await count("by=Ben")).toBe(2);
    expect(await count("by=ben&kind=account")).toBe(2);
    expect(await count("by=Ben&kind=monitor")).toBe(0);
    expect(await count("kind=user")).toBe(3);
    expect(await count("kind=monitor&app=prod")).toBe(1);
    expect(await count("app=staging")).toBe(0);
    expect(await count(new URLSearchParams({ job: HOSTILE.slice(0, 100) }).toString())).toBe(1);
    expect(await count(`kind=${encodeURIComponent("%' OR 1=1")}`)).toBe(0);
  });

  test("goes back page by page, without a gap and without an action twice", async () => {
    using service = await openPeople();
    for (let place = 0; place < 120; place++) service.engine.operate("user sign-out", { name: "Ben" });
    await using pages = asked(service);
    const seen: number[] = [];
    for (let path: string | undefined = "/audit"; path !== undefined; ) {
      const { html } = await pages.get(path);
      seen.push((html.match(/class="audit-entry"/g) ?? []).length);
      path = /href="([^"]+)">Older/.exec(html)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(seen).toEqual([50, 50, service.count("audit") - 100]);
  });
});

const READS = ["/people", "/people/1", "/people/2/delete", "/audit"];
const ACTS = [
  "/people",
  "/people/2/rights",
  "/people/2/sign-out",
  "/people/2/unbind",
  "/people/2/link",
  "/people/2/delete",
];

describe("people and audit are for administrators of all applications", () => {
  const others = ROLES.flatMap((role) => [
    ...(role === "admin" ? [] : [{ role, applications: null }]),
    { role, applications: ["prod"] },
  ]);
  test.each(others)("%p sees and changes nothing, and the bar does not lead there", async (rights) => {
    using service = await openPeople();
    await using pages = asked(service, rights);
    const before = service.count("audit");
    for (const path of READS) {
      const { status, text, html } = await pages.get(path);
      expect([path, status, /Ben/.test(text)]).toEqual([path, 403, false]);
      expect(html).not.toMatch(/href="\/(?:people|audit)"/);
    }
    const fields = { name: "Cat", role: "admin", applications: "*" };
    for (const path of ACTS) expect([path, (await pages.post(path, fields)).status]).toEqual([path, 403]);
    expect([people(service).length, service.count("audit"), service.count("sessions")]).toEqual([2, before, 2]);
  });

  test("and for forms of our own pages alone", async () => {
    using service = await openPeople();
    await using pages = asked(service);
    for (const path of ACTS)
      expect((await pages.post(path, { name: "Cat", role: "admin", applications: "*" }, "cross-site")).status).toBe(
        403,
      );
    expect(people(service)).toHaveLength(2);
  });
});

describe.if(browserCommand !== null)("in a browser, people and the audit", () => {
  test("are accessible and fit the window", async () => {
    using service = await openPeople();
    const pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
    const urls = [...READS, "/audit?kind=monitor"].map((path) => pages.url + path);
    expect(await faultsOfPages(urls)).toEqual([]);
    await pages.stop(0);
  });

  test.each([true, false])("somebody is let in, narrowed and deleted; script: %p", async (javaScriptEnabled) => {
    using service = await openPeople();
    const pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
    await using opened = await openPage(`${pages.url}/people`, { javaScriptEnabled });
    const { page } = opened;
    await page.getByLabel("Name").fill("Cat");
    await page.getByLabel("Role").selectOption("operator");
    await page.getByLabel("only these").check();
    await page.getByLabel("staging").check();
    await page.getByRole("button", { name: "Make the link" }).click();
    expect(await page.locator(".code").textContent()).toMatch(/\/sign-in\/link\/\w{43}$/);
    await page.getByRole("link", { name: "To all people" }).click();
    await page.getByRole("link", { name: "Cat" }).click();
    expect(await page.getByLabel("staging").isChecked()).toBe(true);
    await page.getByRole("link", { name: "Delete Cat" }).click();
    await page.getByRole("button", { name: "for good" }).click();
    expect(await page.getByRole("link", { name: "Cat" }).count()).toBe(0);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("2 people may sign in.");
    await pages.stop(0);
  });
});

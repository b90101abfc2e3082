// The pages of incidents and deliveries over HTTP: what they say, to whom, and what they let people do.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Server } from "../../src/http/server.ts";
import type { Viewer } from "../../src/web/viewer.ts";
import { openService, ping, policyWith, type Service } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";

const HOSTILE = `<script>document.title="owned"</script><svg onload=alert(1)>"'&\u202e gnp.exe`;

const viewer = (changes: Partial<Viewer> = {}): Viewer => ({
  id: 1,
  name: "Ada",
  role: "operator",
  applications: null,
  sessionId: 1,
  address: "127.0.0.1",
  ...changes,
});

let service: Service;
const servers: Server[] = [];

function pagesFor(changes: Partial<Viewer> = {}, of = service) {
  const { url, stop } = startPages(of.engine, {
    viewer: viewer(changes),
    clock: { now: () => of.now, monotonic: () => performance.now() },
  });
  servers.push({ url, stop } as Server);
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(url + path, { redirect: "manual", ...init });
    const text = (await answer.text()).replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
    return { status: answer.status, text, to: answer.headers.get("location") };
  };
  return {
    get: (path: string) => ask(path),
    html: async (path: string) => (await fetch(url + path)).text(),
    post: (path: string, fields: Record<string, string> = {}) =>
      ask(path, {
        method: "POST",
        headers: { "sec-fetch-site": "same-origin" },
        body: new URLSearchParams({ back: "/incidents", ...fields }),
      }),
  };
}

beforeAll(async () => {
  service = openService(policyWith());
  await service.send(ping({ monitorKey: "backup", name: "Backup", schedule: "0 * * * *" }));
  await service.send(ping({ monitorKey: "backup", kind: "fail", message: "disk full" }));
  await service.send(
    ping({ monitorKey: "hostile", name: HOSTILE, kind: "fail", message: HOSTILE, schedule: "@daily" }),
  );
});
afterAll(async () => {
  await Promise.all(servers.map(({ stop }) => stop(0)));
  service[Symbol.dispose]();
});

describe("the page of an incident", () => {
  test("tells in time order what was reported, what was told of it, and whom it has reached", async () => {
    const { status, text } = await pagesFor().get("/incidents/1");
    expect(status).toBe(200);
    const told = ["Reported", "Failed", "disk full", "Backup reported a failure."];
    const places = told.map((words) => text.indexOf(words, text.indexOf("Story")));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(text).toContain("hook: waits");
  });

  test("R46: shows what the job wrote last as text, the lines before the last twelve folded", async () => {
    using own = openService(policyWith({ prod: { keepOutput: true } }));
    const output = `${Array.from({ length: 20 }, (_, place) => `step ${place + 1} done`).join("\n")}\n${HOSTILE}`;
    await own.send(ping({ schedule: "0 * * * *" }), ping({ kind: "fail", message: "disk full", output }));
    for (const path of ["/incidents/1", "/jobs/prod/job"]) {
      const html = await pagesFor({}, own).html(path);
      const [, folded, shown] = /<details><summary[^>]*>(.*?)<\/details>.*?<pre[^>]*>(.*?)<\/pre>/s.exec(
        html.slice(html.indexOf('<figure class="output">')),
      )!;
      expect(html).toContain("<figcaption>The last lines of this failure</figcaption>");
      expect(folded).toStartWith("9 lines before</summary>");
      expect(folded).toEndWith("step 9 done</pre>");
      expect(shown).toStartWith("step 10 done\n");
      expect(shown).toContain("&lt;script&gt;document.title=&quot;owned&quot;");
      expect(html).not.toContain("<script>document");
      expect(html).not.toContain("<svg onload");
    }
    expect(await pagesFor({}, own).html("/")).not.toContain("step 20 done");
  });

  test("takes hostile names and messages for text", async () => {
    const { html } = pagesFor();
    for (const path of ["/incidents", "/incidents/2", "/deliveries"]) {
      const page = await html(path);
      expect(page).not.toMatch(/<svg onload|<script>|\u202e/);
    }
    expect(await html("/incidents/2")).toContain("&lt;script&gt;");
  });

  test("is not there where there is no such incident: 404", async () => {
    const pages = pagesFor();
    for (const path of [
      "/incidents/99",
      "/incidents/0",
      "/incidents/one",
      "/incidents/1e3",
      "/incidents/99999999999999999999",
    ])
      expect((await pages.get(path)).status).toBe(404);
  });

  test("is not there for viewers of other applications, and neither are its list and its deliveries", async () => {
    const others = pagesFor({ role: "viewer", applications: ["staging"] });
    const hidden = await others.get("/incidents/1");
    expect(hidden.status).toBe(404);
    expect(hidden).toEqual(await others.get("/incidents/99"));
    for (const path of ["/incidents", "/incidents?app=prod", "/deliveries", "/deliveries?app=prod"]) {
      const { status, text } = await others.get(path);
      expect(status).toBe(200);
      expect(text).not.toMatch(/Backup|backup|hook/);
    }
    const own = pagesFor({ role: "viewer", applications: ["prod"] });
    expect((await own.get("/incidents/1")).status).toBe(200);
    expect((await own.get("/incidents")).text).toContain("Backup");
    expect((await own.get("/deliveries")).text).toContain("Backup");
  });

  test("lets operators alone acknowledge and resolve, says who did, and leaves a closed one as it is", async () => {
    const looking = pagesFor({ role: "viewer" });
    expect((await looking.get("/incidents/2")).text).not.toMatch(/Acknowledge|Resolve/);
    expect((await looking.post("/incidents/2/resolve")).status).toBe(403);
    const acting = pagesFor();
    expect((await acting.get("/incidents/2")).text).toMatch(
      /Acknowledge .* reminders stop.* Resolve .*Closes the incident/,
    );
    expect((await acting.post("/incidents/2/ack", { back: "/incidents/2" })).to).toBe("/incidents/2");
    expect((await acting.get("/incidents/2")).text).toContain("acknowledged by Ada");
    await acting.post("/incidents/2/resolve");
    const over = await acting.get("/incidents/2");
    expect(over.text).toContain("closed by hand after");
    expect(over.text).not.toContain("Closes the incident");
  });
});

describe("the list of incidents", () => {
  test("has the open ones first, then those that are over; the address narrows it", async () => {
    const pages = pagesFor();
    const { text } = await pages.get("/incidents");
    expect(text).toMatch(/1 incident is open\. .*Open .*Backup .*Failed: disk full.* Past .*closed by hand/);
    expect((await pages.get("/incidents?show=open")).text).not.toContain("closed by hand");
    expect((await pages.get("/incidents?show=past")).text).not.toContain("disk full");
    expect((await pages.get("/incidents?app=nowhere")).text).toContain("No incident is open.");
  });

  test("goes on page by page", async () => {
    using many = openService(policyWith());
    for (let round = 0; round < 60; round++) {
      await many.send(ping({ kind: "fail", schedule: "0 * * * *" }));
      await many.send(ping());
    }
    const pages = pagesFor({}, many);
    const numbers = (html: string) => [...html.matchAll(/href="\/incidents\/(\d+)"/g)].map(([, id]) => Number(id));
    const first = await pages.html("/incidents?show=past");
    const older = /href="(\/incidents\?show=past&amp;before=\d+)"/.exec(first)![1]!.replaceAll("&amp;", "&");
    const all = [...numbers(first), ...numbers(await pages.html(older))];
    expect(all).toEqual(Array.from({ length: 60 }, (_, place) => 60 - place));
  });

  test("goes on behind what was looked at, for those who may see some applications only", async () => {
    using many = openService(policyWith());
    await many.send(ping({ kind: "fail", message: "the oldest", schedule: "0 * * * *" }));
    await many.send(ping());
    for (const table of ["incidents", "deliveries"])
      many.store.database.run(`UPDATE sqlite_sequence SET seq = 25000 WHERE name = '${table}'`);
    await many.send(ping({ kind: "fail", message: "the newest" }));
    await many.send(ping());
    const pages = pagesFor({ role: "viewer", applications: ["prod"] }, many);
    for (const [path, found] of [
      ["/incidents?show=past", "the oldest"],
      ["/deliveries?show=waiting", 'id="delivery-1"'],
    ] as const) {
      let html = await pages.html(path);
      expect(html).not.toContain(found);
      for (let step = 0; step < 6 && !html.includes(found); step++) {
        const older = /href="([^"]+)">Older/.exec(html)![1]!;
        html = await pages.html(older.replaceAll("&amp;", "&"));
      }
      expect(html).toContain(found);
    }
  });

  test("says so where there is none, and so do deliveries", async () => {
    using empty = openService(policyWith({ destinations: new Map() }));
    const pages = pagesFor({}, empty);
    expect((await pages.get("/incidents")).text).toMatch(/No incident is open\. .*No incident has ended here yet\./);
    const { text } = await pages.get("/deliveries");
    expect(text).toMatch(
      /No destination is configured: nobody is told of anything\. .*Nothing waits\. .*Nothing was given up\./,
    );
  });
});

describe("the page of deliveries", () => {
  test("counts no more at once than it can, and says so", async () => {
    using own = openService(policyWith());
    await own.send(ping({ kind: "fail", schedule: "0 * * * *" }));
    const add = (rows: number) =>
      own.store.database.run(
        `insert into deliveries (alert_id, destination, created_at, attempts)
         with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows}) select 1, 'hook', 0, 1 from n`,
      );
    add(4_998);
    expect((await pagesFor({}, own).get("/deliveries")).text).toMatch(/4,999 messages wait\..* · 4,999 waiting/);
    add(7);
    expect((await pagesFor({}, own).get("/deliveries")).text).toMatch(
      /At least 5,000 messages wait\..* · 5,000 or more waiting/,
    );
  });

  test("says what waits, for what and to whom, and how each destination fares", async () => {
    service.failing.set("hook", "HTTP 503 Service Unavailable");
    const { text } = await pagesFor().get("/deliveries");
    expect(text).toMatch(/“hook” takes no messages\./);
    expect(text).toMatch(/has taken no messages since (\S+ )?\d\d:\d\d ?: HTTP 503 Service Unavailable · \d waiting/);
    expect(text).toMatch(/Trouble began Backup · prod to hook · waits for its turn/);
    service.failing.clear();
  });

  test("lets operators test a destination and try one again, and viewers only look", async () => {
    const looking = pagesFor({ role: "viewer" });
    expect((await looking.get("/deliveries")).text).not.toMatch(/Try now|Test hook/);
    expect((await looking.post("/deliveries/test", { destination: "hook" })).status).toBe(403);
    expect((await looking.post("/deliveries/1/resend")).status).toBe(403);
    const acting = pagesFor();
    const tested = await acting.post("/deliveries/test", { destination: "hook", back: "/deliveries" });
    expect(tested.to).toMatch(/^\/deliveries#delivery-\d+$/);
    expect((await acting.get("/deliveries?show=waiting")).text).toContain("Test to hook");
    expect((await acting.post("/deliveries/1/resend", { back: "/deliveries" })).to).toBe("/deliveries#delivery-1");
    expect((await acting.post("/deliveries/test", { destination: "nowhere" })).status).toBe(404);
    expect((await acting.post("/deliveries/x/resend")).status).toBe(404);
    const restricted = pagesFor({ applications: ["prod"] });
    expect((await restricted.post("/deliveries/test", { destination: "hook" })).status).toBe(403);
    const { deliveries } = granted(service.engine.operate("notify list", {}));
    expect(deliveries.filter(({ type }) => type === "destination.test")).toHaveLength(1);
  });
});

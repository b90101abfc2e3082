// Status pages and badges over HTTP: what everybody may see who knows an address, and that nobody else sees anything.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { StatusPageSettings } from "../../src/domain/settings/status-page-settings.ts";
import { DAY, HOUR, toIso } from "../../src/domain/time.ts";
import type { Server } from "../../src/http/server.ts";
import { createStatusPages } from "../../src/web/public/status-routes.tsx";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { type PagesChanges, startPages } from "../support/pages.ts";
import { startPublicServer } from "../support/public-server.ts";
import { granted } from "../support/service.ts";

const TOKEN = "2b1f0c7e9d8a4f5b6c3e2d1a0f9e8d7c6b5a4f3e";
const HOSTILE = `<script>document.title="owned"</script><svg onload=alert(1)>"'&\u202e gnp.exe`;
const SETTINGS: StatusPageSettings = {
  application: "prod",
  token: TOKEN,
  title: "Our jobs",
  jobs: ["backup", "host*"],
  messages: false,
};

let service: Service;
const servers: Server[] = [];

beforeAll(async () => {
  service = openService(policyWith({ prod: { owner: "ops@example.org" } }));
  await service.send(ping({ monitorKey: "backup", name: "Backup", schedule: "0 * * * *" }));
  await service.send(ping({ monitorKey: "backup", kind: "fail", message: "secret-host: disk full" }));
  await service.send(ping({ monitorKey: "hostile-key", name: HOSTILE, schedule: "@daily" }));
  await service.send(ping({ monitorKey: "payroll", name: "Payroll", schedule: "@daily" }));
});
afterAll(async () => {
  await Promise.all(servers.map(({ stop }) => stop(0)));
  service[Symbol.dispose]();
});

/** For somebody who has not signed in, and by a clock that the test may move. */
function open(changes: Partial<StatusPageSettings> = {}, more: PagesChanges = {}) {
  const clock = { now: () => service.now, monotonic: () => service.now };
  const server = startPages(service.engine, {
    viewer: null,
    clock,
    statusPages: [{ ...SETTINGS, ...changes }],
    ...more,
  });
  servers.push(server);
  return (path: string, init: RequestInit = {}) => fetch(server.url + path, init);
}

const badgesOn = (page: string): string[] =>
  [...page.matchAll(/src="(\/badge\/[\w-]+\.svg)"/g)].map(([, path]) => path!);

describe("a status page", () => {
  test("says which of its jobs are in maintenance, now and soon, and why only where it quotes people", async () => {
    const times = [
      ["backup", service.now, 2],
      ["payroll", service.now, 2],
      ["b*", service.now + DAY, 3],
      ["backup", service.now + 8 * DAY, 3],
    ] as const;
    const ids = times.map(([key, from, hours]) => {
      const wanted = { monitors: [key], from: toIso(from).slice(0, 16).concat("Z"), durationSeconds: hours * 3_600 };
      return granted(service.engine.operate("maintenance plan", { ...wanted, reason: "<b>disk</b>" })).maintenance.id!;
    });
    const said = async (messages: boolean) => {
      const page = await (await open({ messages })(`/status/${TOKEN}`)).text();
      return [...page.matchAll(/<p class="note">(Maintenance.*?)<\/p>/g)].map(([, text]) =>
        text!.replaceAll(/<[^>]+>/g, ""),
      );
    };
    expect(await said(false)).toEqual([
      "Maintenance of Backup until 2026-03-02 14:00",
      "Maintenance of Backup from 2026-03-03 12:00 until 2026-03-03 15:00",
    ]);
    expect((await said(true))[0]).toBe("Maintenance of Backup until 2026-03-02 14:00: &lt;b&gt;disk&lt;/b&gt;");
    for (const id of ids) granted(service.engine.operate("maintenance end", { id }));
    service.endTurns();
    expect(await said(true)).toEqual([]);
  });

  test("R24: shows days in a pause as paused when the job is resumed, and counts nothing as expected on them", async () => {
    using paused = openService(policyWith(), NOON);
    const name = { application: "prod", key: "backup" };
    const reportEachHour = async (hours: number) => {
      for (let hour = 0; hour < hours; hour++) {
        await paused.send(ping({ monitorKey: "backup", schedule: "0 * * * *" }));
        paused.look(paused.now + HOUR);
      }
    };
    await reportEachHour(8);
    granted(paused.engine.operate("monitor pause", name));
    paused.look(paused.now + 3 * DAY);
    granted(paused.engine.operate("monitor resume", name));
    await reportEachHour(8);
    await paused.send(ping({ monitorKey: "backup" }));
    const clock = { now: () => paused.now, monotonic: () => paused.now };
    const server = startPages(paused.engine, { viewer: null, clock, statusPages: [SETTINGS] });
    servers.push(server);
    const page = await (await fetch(`${server.url}/status/${TOKEN}`)).text();
    const told = [...page.matchAll(/<title>(2026-[^<]+)<\/title>/g)].map(([, text]) => text);
    expect(told).toEqual(["2026-03-03: paused", "2026-03-04: paused"]);
    expect(page).toContain("90 days: 2 paused, 3 well, 85 not watched yet");
  });

  test("shows the jobs that were chosen, in words, and nothing else of them", async () => {
    const page = await (await open()(`/status/${TOKEN}`)).text();
    const text = page.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
    expect(text).toContain("Our jobs 1 of 2 jobs is failing.");
    expect(text).toContain("Backup: failed It reported a failure.");
    for (const hidden of [
      "Payroll",
      "payroll",
      "disk full",
      "hostile-key",
      "ops@example.org",
      "prod",
      "/jobs",
      "/incidents",
    ])
      expect(page).not.toContain(hidden);
  });

  test("shows what jobs reported where that was chosen", async () => {
    expect(await (await open({ messages: true })(`/status/${TOKEN}`)).text()).toContain("secret-host: disk full");
  });

  test("takes hostile names for text", async () => {
    const ask = open({ messages: true, title: HOSTILE });
    for (const path of [`/status/${TOKEN}`, `/status/${TOKEN}/badges`]) {
      const page = await (await ask(path)).text();
      expect(page).toContain("&lt;script&gt;");
      expect(page).not.toMatch(/<svg onload|<script|\u202e/);
    }
  });

  test("is found by nobody who does not know its token: the same 404 as anywhere", async () => {
    const ask = open();
    const whole = async (path: string) => {
      const answer = await ask(path);
      const headers = [...answer.headers].filter(([name]) => name !== "date");
      return { status: answer.status, headers, text: await answer.text() };
    };
    const nowhere = await whole("/no-such-page");
    expect(nowhere.status).toBe(404);
    for (const token of ["x", TOKEN.slice(1), `${TOKEN}0`, TOKEN.toUpperCase(), "%00", "a".repeat(5_000)]) {
      expect(await whole(`/status/${token}`)).toEqual(nowhere);
      expect(await whole(`/status/${token}/badges`)).toEqual(nowhere);
      expect(await whole(`/badge/${token}.svg`)).toEqual(nowhere);
    }
  });

  test("is off unless it is configured", async () => {
    const ask = open({}, { statusPages: [] });
    expect((await ask(`/status/${TOKEN}`)).status).toBe(404);
  });

  test("is kept by caches for a moment, by no search engine, and in no frame; sets no cookie and runs nothing", async () => {
    const { headers } = await open()(`/status/${TOKEN}`);
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "public, max-age=10",
      "x-robots-tag": "noindex, nofollow",
      "referrer-policy": "no-referrer",
      "content-security-policy": expect.stringMatching(/^default-src 'none'; (?!.*script-src).*frame-ancestors 'none'/),
    });
    expect(headers.has("set-cookie")).toBe(false);
  });

  test("is not sent again to who has it", async () => {
    const ask = open();
    const etag = (await ask(`/status/${TOKEN}`)).headers.get("etag")!;
    const again = await ask(`/status/${TOKEN}`, { headers: { "if-none-match": `"other", ${etag}` } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect((await ask(`/status/${TOKEN}`, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  test("is made once in ten seconds, however many ask at once, and again after that", async () => {
    let looks = 0;
    let at = 0;
    const lookBack: typeof service.engine.views.lookBack = (asked) => {
      looks++;
      return service.engine.views.lookBack(asked);
    };
    const server = startPages(
      { ...service.engine, views: { ...service.engine.views, lookBack } },
      { viewer: null, statusPages: [SETTINGS], clock: { now: () => service.now, monotonic: () => at } },
    );
    servers.push(server);
    const ask = () => fetch(`${server.url}/status/${TOKEN}`);
    await Promise.all(Array.from({ length: 20 }, ask));
    at = 9_999;
    await ask();
    expect(looks).toBe(1);
    at = 10_000;
    await ask();
    expect(looks).toBe(2);
  });

  test("is not there for a network that asks 600 times in a minute, and for others is", async () => {
    const ask = open();
    const from = (address: string) =>
      ask("/status/guess", { headers: { "x-forwarded-for": address, "x-forwarded-proto": "https" } });
    for (let done = 0; done < 600; done += 50) await Promise.all(Array.from({ length: 50 }, () => from("2001:db8::1")));
    const refused = await from("2001:db8::2");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await from("2001:db8:1::1")).status).toBe(404);
  });

  test("stays where the dashboard is switched off, with its style, and all else is JSON", async () => {
    const clock = { now: () => service.now, monotonic: () => service.now };
    const pages = createStatusPages({ engine: service.engine, clock, statusPages: [SETTINGS], address: null });
    const server = startPublicServer(service.engine, { clock, pages });
    servers.push(server);
    const page = await (await fetch(`${server.url}/status/${TOKEN}`)).text();
    const [, style] = /href="(\/assets\/[^"]+\.css)"/.exec(page)!;
    expect((await fetch(server.url + style)).headers.get("content-type")).toBe("text/css; charset=utf-8");
    const wrong = await fetch(`${server.url}/status/${TOKEN}0`);
    expect(await wrong.json()).toEqual(await (await fetch(`${server.url}/no-such-page`)).json());
  });
});

describe("a badge", () => {
  test("says in a word how an application and a job are, as a picture and for shields.io", async () => {
    const ask = open();
    const badges = badgesOn(await (await ask(`/status/${TOKEN}/badges`)).text());
    const said = await Promise.all(
      badges.map(async (path) => {
        const svg = await ask(path);
        expect(svg.headers.get("content-type")).toBe("image/svg+xml; charset=utf-8");
        expect(svg.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
        const picture = await svg.text();
        expect(picture).not.toMatch(/<script|onload=|\u202e/);
        return /<title>([^<]*)</.exec(picture)![1];
      }),
    );
    expect(said.slice(0, 2)).toEqual(["Our jobs: 1 failing", "Backup: failing"]);
    expect(said[2]).toEndWith(": well");
    expect(await (await ask(badges[1]!.replace(".svg", ".json"))).json()).toEqual({
      schemaVersion: 1,
      label: "Backup",
      message: "failing",
      color: "c03028",
      isError: true,
      cacheSeconds: 300,
    });
  });

  test("has an address from which neither the page's nor another badge's follows", async () => {
    const ask = open();
    const badges = badgesOn(await (await ask(`/status/${TOKEN}/badges`)).text());
    expect(new Set(badges).size).toBe(3);
    expect(badges.join()).not.toMatch(new RegExp(`${TOKEN}|backup`));
    expect((await ask(badges[0]!.replace("/badge/", "/status/").replace(".svg", ""))).status).toBe(404);
    expect((await ask(badges[0]!.replace(".svg", ".png"))).status).toBe(404);
  });
});

// What needs attention, as every place has it that a person looks at: the headline of the first page, the title and
// icon of its tab, and `rollcall status` with its exit code.

import { describe, expect, test } from "bun:test";
import { DAY, HOUR, MINUTE } from "../../src/domain/time.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { overviewHeadlineOf } from "../../src/web/overview/saying.ts";
import { deliver } from "../cli/delivering.ts";
import { openRunning } from "../support/commands.ts";
import { NOON, ping } from "../support/engine.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";

/** A service with one destination, which answers with this status. */
function opened() {
  const place = openRunning();
  const { service } = place;
  const pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
  let status = 204;
  const sink = startHttpSink(() => new Response(null, { status }));
  const hook = CHANNELS.webhook({ url: sink.url, secret: `whsec_${"a".repeat(32)}` });
  const words = (html: string): string => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
  return {
    service,
    pages,
    answersWith: (next: number) => {
      status = next;
    },
    deliver: () => deliver(service, { hook }),
    fails: async (monitorKey: string) => {
      await service.send(ping({ monitorKey, schedule: "@daily" }));
      await service.send(ping({ monitorKey, kind: "fail", message: "disk full" }));
    },
    status: (...args: string[]) => place.run("status", ...args),
    /** Of the first page: its title, its headline, its icon, and what stands in its cards. */
    looks: async () => {
      const html = await (await fetch(pages.url)).text();
      return {
        title: /<title>(.*?)<\/title>/.exec(html)?.[1],
        headline: words(/<h1[^>]*>(.*?)<\/h1>/s.exec(html)?.[1] ?? ""),
        icon: /rel="icon"[^>]*href="\/assets\/icon-(\w+)\.svg"/.exec(html)?.[1],
        cards: [...html.matchAll(/<article.*?<\/article>/gs)].map(([card]) => words(card).trim()),
      };
    },
    text: async (path: string) => words(await (await fetch(pages.url + path)).text()),
    async [Symbol.asyncDispose]() {
      await pages.stop(0);
      await sink[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

const COUNTED = { all: 9, trouble: 2, taken: 3, late: 0, waiting: 0, well: 4, paused: 0, slow: 0, warned: 0 };

describe("what needs attention", () => {
  test("R18: is red until a person has taken it on, then amber, and the command's exit code says the same", async () => {
    await using world = opened();
    await world.fails("backup");
    await world.deliver();
    expect(await world.looks()).toMatchObject({
      title: "1 needs attention · rollcall",
      headline: "1 of 1 job needs attention.",
      icon: "bad",
      cards: [expect.stringMatching(/failed .*: disk full (told|notified): hook/)],
    });
    expect((await world.status()).exitCode).toBe(1);
    granted(world.service.engine.operate("incident ack", { id: 1 }));
    expect(await world.looks()).toMatchObject({
      title: "1 taken on · rollcall",
      headline: "No job needs attention; 1 is taken on.",
      icon: "late",
      cards: [expect.stringMatching(/failed now : disk full taken on by command, now …/)],
    });
    expect((await world.status()).exitCode).toBe(0);
    expect(await world.text("/incidents")).not.toContain("needs attention");
    expect(await world.text("/jobs/prod/backup")).toContain("acknowledged");
  });

  test("R18: the headline, the title, the filters and the tab of other pages count the same jobs, and rollcall apart", async () => {
    await using world = opened();
    for (const key of ["one", "two", "three", "four"]) await world.fails(key);
    await world.deliver();
    for (const id of [1, 2]) granted(world.service.engine.operate("incident ack", { id }));
    const filters = async (path: string) => {
      const html = await (await fetch(world.pages.url + path)).text();
      return html
        .slice(html.indexOf('id="filters"'), html.indexOf("<form", html.indexOf('id="filters"')))
        .replaceAll(/<[^>]+>/g, " ")
        .replaceAll(/\s+/g, " ");
    };
    expect(await world.looks()).toMatchObject({
      title: "2 need attention · rollcall",
      headline: "2 of 4 jobs need attention. 2 are taken on.",
    });
    expect(await filters("/")).toContain(" All 4 Attention 2 Taken on 2 ");
    expect(await world.text("/?show=taken")).toContain("prod 2 jobs");
    expect(await world.text("/?find=is%3Aattention")).toContain("prod 2 jobs");
    for (const id of [3, 4]) granted(world.service.engine.operate("incident ack", { id }));
    expect(await world.looks()).toMatchObject({
      title: "4 taken on · rollcall",
      headline: "No job needs attention; 4 are taken on.",
    });
    expect(await filters("/")).toContain(" All 4 Taken on 4 ");
    expect(
      overviewHeadlineOf({ counts: COUNTED, open: [], troubles: ["the disk is full"], viewer: { name: "Ada" } }),
    ).toMatchObject({
      sentence: "rollcall itself needs attention. 2 of 9 jobs need attention. 3 are taken on.",
      title: "2 need attention",
      needs: 2,
      isOwn: true,
    });
  });

  test("R18: the palette, the searches of list and day, the day's icon and `status` count what the headline counts, whoever has acknowledged and whatever changes", async () => {
    await using world = opened();
    const { service, pages } = world;
    const html = async (path: string) => (await fetch(pages.url + path)).text();
    /** How many jobs each place says need attention, and are taken on. */
    const counted = async () => {
      const list = await html("/");
      const said = Number(/<title>(\d+) needs? attention/.exec(list)?.[1] ?? 0);
      const chips = [...list.matchAll(/(Attention|Taken on) <small>(\d+)/g)].map(([, name, count]) => [
        name,
        Number(count),
      ]);
      const chip = (name: string): number => Number(new Map(chips as [string, number][]).get(name) ?? 0);
      const found = async (path: string, row: RegExp) => [...(await html(path)).matchAll(row)].length;
      const places = async (word: string) => [
        await found(`/find?q=is:${word}`, /<li><a href="\/jobs\//g),
        await found(`/day?find=is:${word}`, /data-row/g),
        await found(`/?find=is:${word}`, /class="row-name"/g),
      ];
      const { counts, takenOn } = JSON.parse((await world.status("--json")).out);
      return {
        needs: [said, chip("Attention"), counts.critical - takenOn, ...(await places("attention"))],
        taken: [chip("Taken on"), takenOn, ...(await places("taken"))],
        icon: /rel="icon"[^>]*href="\/assets\/icon-(\w+)\.svg"/.exec(await html("/day"))?.[1],
        exitCode: (await world.status()).exitCode,
      };
    };
    const same = async (needs: number, taken: number) => {
      const seen = await counted();
      expect(seen.needs).toEqual(seen.needs.map(() => needs));
      expect(seen.taken).toEqual(seen.taken.map(() => taken));
      expect([seen.icon, seen.exitCode]).toEqual([needs > 0 ? "bad" : taken > 0 ? "late" : "well", needs > 0 ? 1 : 0]);
    };
    for (const key of ["one", "two", "three", "four"]) await world.fails(key);
    await same(4, 0);
    for (const id of [1, 2]) granted(service.engine.operate("incident ack", { id }));
    await same(2, 2);
    // It fails again, which leaves it taken on; then it recovers, and fails anew, which no one has taken on.
    await service.send(ping({ monitorKey: "one", kind: "fail" }));
    await same(2, 2);
    await service.send(ping({ monitorKey: "one" }));
    await same(2, 1);
    await service.send(ping({ monitorKey: "one", kind: "fail" }));
    await same(3, 1);
    granted(service.engine.operate("monitor pause", { key: "two" }));
    await same(3, 0);
    granted(service.engine.operate("monitor resume", { key: "two" }));
    for (const id of [3, 4, 5]) granted(service.engine.operate("incident ack", { id }));
    await same(0, 4);
    for (const id of [2, 3, 4, 5]) granted(service.engine.operate("incident resolve", { id }));
    await same(0, 0);
  });

  test("R36: says first that no one has been notified, what the destination answers and when it is tried again", async () => {
    await using world = opened();
    await world.fails("reached");
    await world.deliver();
    world.answersWith(503);
    await world.fails("backup");
    await world.deliver();
    expect(await world.looks()).toMatchObject({
      title: "2 need attention · rollcall",
      headline: "All 2 jobs need attention, and no one has been notified of 1.",
      icon: "bad",
      cards: [
        expect.stringMatching(
          /Backup .*No one has been notified yet: hook does not take it \(HTTP 503 .*\) , next try in \d+ s/,
        ),
        expect.stringContaining("Reached"),
      ],
    });
    const { out, exitCode } = await world.status();
    expect(exitCode).toBe(1);
    const line = /backup: No one has been notified yet: hook does not take it \(HTTP 503 .*\), next try in \d+ s/;
    expect(out.replaceAll(/\s+/g, " ")).toMatch(line);
    for (const path of ["/incidents/2", "/jobs/prod/backup"])
      expect(await world.text(path)).toContain("No one has been notified yet: hook does not take it");
    world.answersWith(204);
    world.service.look(world.service.now + HOUR);
    await world.deliver();
    expect((await world.looks()).headline).toBe("All 2 jobs need attention.");
  });

  test("R36: a message on its way is not called lost in its first minute, and is afterwards", async () => {
    await using world = opened();
    await world.fails("backup");
    expect((await world.looks()).headline).toBe("1 of 1 job needs attention.");
    world.service.look(world.service.now + 2 * MINUTE);
    expect((await world.looks()).headline).toBe("1 of 1 job needs attention, and no one has been notified.");
  });

  test("R18: a paused job needs none, on the page and by command", async () => {
    await using world = opened();
    await world.fails("backup");
    await world.deliver();
    granted(world.service.engine.operate("monitor pause", { key: "backup" }));
    expect(await world.looks()).toMatchObject({ headline: "The only job is paused.", cards: [] });
    expect((await world.status()).exitCode).toBe(0);
  });

  test("an open incident of a paused job is counted on every screen, and said to be of one", async () => {
    await using world = opened();
    for (const key of ["backup", "sync", "mail"]) await world.fails(key);
    await world.deliver();
    granted(world.service.engine.operate("monitor pause", { key: "backup" }));
    expect((await world.looks()).headline).toBe("2 of 3 jobs need attention.");
    expect(await world.text("/incidents")).toContain("3 incidents are open, 1 of paused jobs.");
    expect((await world.status()).out).toContain("1 incident of paused monitors is open");
    for (const key of ["sync", "mail"]) granted(world.service.engine.operate("monitor pause", { key }));
    expect(await world.text("/incidents?show=open")).toContain("3 incidents are open, of paused jobs.");
    const { out } = await world.status();
    expect(out).toContain("3 incidents of paused monitors are open");
    expect(out).not.toContain("no incident is open");
  });

  test("is counted over all incidents: one behind twenty that are taken on is not forgotten", async () => {
    await using world = opened();
    for (let id = 1; id <= 22; id++) await world.fails(`job-${id}`);
    await world.deliver();
    for (let id = 2; id <= 22; id++) granted(world.service.engine.operate("incident ack", { id }));
    const { exitCode, out } = await world.status();
    expect(exitCode).toBe(1);
    expect(out).toContain("job-1 ");
    expect((await world.looks()).headline).toBe("1 of 22 jobs needs attention. 21 are taken on.");
  });

  test("says first that jobs fell silent together, until a person has taken enough of them on", async () => {
    await using world = opened();
    const { service } = world;
    for (let minute = 0; minute < 5; minute++) {
      service.at(NOON + minute * MINUTE);
      await service.send(ping({ monitorKey: `job-${minute}`, everySeconds: 600 }));
    }
    service.look(NOON + 20 * MINUTE);
    const said = "5 jobs stopped reporting between 12:11 and 12:15 , all of the application prod ";
    expect(await world.text("/")).toContain(said);
    granted(service.engine.operate("incident ack", { id: 1 }));
    expect(await world.text("/")).not.toContain("stopped reporting");
  });

  test("says since when jobs are silent that stopped at one moment, also on another day", async () => {
    await using world = opened();
    for (let place = 0; place < 5; place++)
      await world.service.send(ping({ monitorKey: `job-${place}`, everySeconds: 600 }));
    world.service.look(NOON + 20 * MINUTE);
    expect(await world.text("/")).toMatch(/5 jobs have been silent since 12:11 ?,/);
    world.service.at(NOON + DAY);
    expect(await world.text("/")).toMatch(/5 jobs have been silent since Monday 12:11 ?,/);
  });

  test("what fell silent together is acknowledged by one button, and nothing that was opened since", async () => {
    await using world = opened();
    const { service, pages } = world;
    await world.fails("alone");
    for (let minute = 0; minute < 6; minute++) {
      service.at(NOON + minute * MINUTE);
      await service.send(ping({ monitorKey: `job-${minute}`, everySeconds: 600 }));
    }
    service.look(NOON + 20 * MINUTE);
    const { cards } = await world.looks();
    expect(cards[0]).toStartWith("critical 6 jobs stopped reporting between");
    expect(cards[0]).toContain("The worst: Job 0");
    expect(cards.at(-1)).toStartWith("critical Alone prod");
    const html = await (await fetch(pages.url)).text();
    const [, only = ""] = /name="only" value="([^"]+)"[^>]*><button[^>]*>Acknowledge 6</.exec(html) ?? [];
    expect(only).toBe("2-7");
    await world.fails("later");
    const sent = await fetch(`${pages.url}/acts/ack-all`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: pages.url },
      body: new URLSearchParams({ back: "/", only }),
    });
    expect(sent.status).toBe(303);
    expect((await world.looks()).headline).toBe(
      "2 of 8 jobs need attention, and no one has been notified of 1. You have 6.",
    );
    expect(await world.text("/")).toContain("Taken on: you 6");
  });

  test("text of a job or a person is isolated by itself: from right to left it turns nothing of ours around", async () => {
    await using world = opened();
    const { service, pages } = world;
    const hebrew = "\u05e9\u05dc\u05d5\u05dd /var/lib/db";
    await service.send(ping({ monitorKey: "backup", schedule: "@daily", kind: "fail", message: hebrew }));
    const page = async (path: string) => (await fetch(pages.url + path)).text();
    for (const path of ["/", "/jobs/prod/backup"]) expect(await page(path)).toContain(`<bdi>${hebrew}</bdi>`);
    granted(service.engine.operate("monitor pause", { key: "backup", durationSeconds: 3600, reason: hebrew }));
    for (const path of ["/", "/jobs/prod/backup"]) expect(await page(path)).toContain(`<bdi>${hebrew}</bdi>`);
  });

  test("the worst stands first, and of two that are as bad the older", async () => {
    await using world = opened();
    for (const key of ["older", "newer"]) await world.fails(key);
    await world.service.send(ping({ monitorKey: "worst", schedule: "@daily", severity: "critical" }));
    await world.service.send(ping({ monitorKey: "worst", kind: "fail", message: "disk full" }));
    await world.deliver();
    const { cards } = await world.looks();
    expect(cards.map((card) => card.split(" ")[1])).toEqual(["Worst", "Older", "Newer"]);
  });
});

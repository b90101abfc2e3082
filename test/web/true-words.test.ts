// What pages say is so, over HTTP: a run under way, what tells namesakes apart, how many there are, and why a form was
// refused.

import { expect, test } from "bun:test";
import { HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { deliver } from "../cli/delivering.ts";
import { openService, ping, policyWith, type Service } from "../support/engine.ts";
import { ADA, startPages } from "../support/pages.ts";

function opened(changes: Parameters<typeof startPages>[1] = {}, policy = policyWith()) {
  const service = openService(policy);
  for (const slug of ["prod", "other"]) service.engine.operate("app create", { slug });
  const clock = { now: () => service.now, monotonic: () => performance.now() };
  const pages = startPages(service.engine, { clock, ...changes });
  const textOf = async (path: string): Promise<string> =>
    (await (await fetch(pages.url + path)).text())
      .replaceAll(/<title>.*?<\/title>|<[^>]+>/gs, "")
      .replaceAll(/\s+/g, " ");
  return {
    service,
    url: pages.url,
    textOf,
    async [Symbol.asyncDispose]() {
      await pages.stop(0);
      service[Symbol.dispose]();
    },
  };
}

/** Runs of ten minutes each, an hour apart, and one that begins now. */
async function runs(service: Service): Promise<void> {
  for (let run = 0; run < 3; run++) {
    await service.send(ping({ monitorKey: "sync", kind: "start", schedule: "0 * * * *", maxRuntimeSeconds: 3_600 }));
    service.look(service.now + 10 * MINUTE);
    await service.send(ping({ monitorKey: "sync" }));
    service.look(service.now + 50 * MINUTE);
  }
  await service.send(ping({ monitorKey: "sync", kind: "start" }));
  service.look(service.now + 65 * SECOND);
}

test("a job's page says since when it runs, how long it usually takes and until when it may, with a bar", async () => {
  await using world = opened();
  await runs(world.service);
  const text = await world.textOf("/jobs/prod/sync");
  expect(text).toMatch(/running since 15:00, usually 10 min, until 16:00 at the latest/);
  const html = await (await fetch(`${world.url}/jobs/prod/sync`)).text();
  const share = Number(/under-way-done" width="([\d.]+)%/.exec(html)?.[1]);
  expect(share).toBeCloseTo((65 / 3_600) * 100, 1);
  expect(/<h1 class="headline"><svg class="shape is-(\w+)/.exec(html)?.[1]).toBe("running");
  await world.service.send(ping({ monitorKey: "sync" }));
  expect(await (await fetch(`${world.url}/jobs/prod/sync`)).text()).toContain('<section id="job-run" hidden');
});

test("R21, R38: a job's page has what its messages say of it, when a run must end, and who reported it last", async () => {
  const links = { runbook: "https://wiki.example.org/backup" };
  const own = { owner: "<b>ops", severity: "critical", environment: "live", links } as const;
  await using world = opened({}, policyWith({ monitors: { backup: own } }));
  const { service, textOf } = world;
  await service.send(ping({ monitorKey: "backup", schedule: "0 * * * *" }));
  service.engine.intake.heardFrom(ping().caller, "backup", {
    client: () => "192.0.2.9",
    headers: { get: () => "curl/8" },
  });
  service.look(service.now + 20 * SECOND);
  const text = await textOf("/jobs/prod/backup");
  expect(text).toContain("run deadline1 h 1 min after its start a guess, from the time between two scheduled runs");
  expect(text).toContain("severitycritical configurationlabelsnone defaultnotenone default");
  expect(text).toContain("owner&lt;b&gt;ops environmentlive");
  expect(text).toMatch(/reported from192\.0\.2\.9, with key 1, since .* curl\/8/);
  expect(await (await fetch(`${world.url}/jobs/prod/backup`)).text()).toContain(
    '<a href="https://wiki.example.org/backup" rel="noreferrer">',
  );
});

test("namesakes are told apart by their application where that does, else by their key", async () => {
  await using world = opened();
  const { service } = world;
  const caller = { ...ping().caller, applicationId: 2, application: "other" };
  await service.send(
    ping({ monitorKey: "a-1", name: "Backup", schedule: "@daily" }),
    ping({ caller, monitorKey: "a-1", name: "Backup", schedule: "@daily" }),
  );
  const namesIn = async () =>
    [...(await (await fetch(`${world.url}/day`)).text()).matchAll(/data-row[^>]*>(.*?)<\/a>/gs)].map(([, name]) =>
      name!.replaceAll(/<[^>]+>/g, ""),
    );
  expect(await namesIn()).toEqual(["Backup other", "Backup prod"]);
  await service.send(ping({ monitorKey: "a-2", name: "Backup", schedule: "@daily" }));
  expect(await namesIn()).toEqual(["Backup other", "Backup a-1", "Backup a-2"]);
});

test("open incidents are counted, also those on further pages", async () => {
  await using world = opened();
  const failing = Array.from({ length: 60 }, (_, place) =>
    ping({ monitorKey: `job-${place}`, kind: "fail", schedule: "@daily" }),
  );
  await world.service.send(...failing);
  expect(await world.textOf("/incidents")).toContain("60 incidents are open.");
});

test("where all is well it says for how long, and what comes next", async () => {
  await using world = opened();
  const { service } = world;
  await service.send(ping({ monitorKey: "sync", schedule: "0 * * * *" }));
  expect(await world.textOf("/")).not.toContain("Quiet for");
  await service.send(ping({ monitorKey: "sync", kind: "fail" }));
  expect(await world.textOf("/")).not.toContain("Quiet for");
  await service.send(ping({ monitorKey: "sync" }));
  service.look(service.now + 20 * MINUTE);
  expect(await world.textOf("/")).toContain("Quiet for 20 minutes. Next: Sync in 40 min.");
});

test("what is late and what has a warning is said apart", async () => {
  await using world = opened();
  const { service } = world;
  await service.send(ping({ monitorKey: "late", schedule: "0 * * * *", graceSeconds: 1_800 }));
  service.look(service.now + HOUR + 5 * MINUTE);
  expect(await world.textOf("/")).toContain("1 of 1 job is late; none needs attention yet.");
});

test("a form that is refused leads back to where it was sent, and to the door where the session is over", async () => {
  await using world = opened({ viewer: { ...ADA, role: "viewer" } });
  await world.service.send(ping({ monitorKey: "sync", schedule: "@daily" }));
  const send = (url: string) =>
    fetch(`${url}/jobs/prod/sync/pause`, {
      method: "POST",
      headers: { "sec-fetch-site": "same-origin", referer: `${url}/?show=trouble` },
      body: new URLSearchParams({ back: "/" }),
    });
  expect(await (await send(world.url)).text()).toContain('<a href="/?show=trouble">Back to where it was tried</a>');
  await using shut = opened({ viewer: null });
  const refused = await send(shut.url);
  expect([refused.status, await refused.text()]).toEqual([
    401,
    expect.stringContaining('<a href="/sign-in?to=%2F%3Fshow%3Dtrouble">Sign in, and go back to it</a>'),
  ]);
});

test("the next times leave out what was filled early, and name their zone once", async () => {
  await using world = opened();
  world.service.look(world.service.now + HOUR - 20 * SECOND);
  await world.service.send(ping({ schedule: "0 * * * *", timezone: "Europe/Berlin" }));
  await world.service.send(ping({ schedule: "0 * * * *", timezone: "Europe/Berlin" }));
  world.service.look(world.service.now + SECOND);
  const html = await (await fetch(`${world.url}/jobs/prod/job`)).text();
  const slots = /<section id="job-slots".*?<\/section>/s.exec(html)![0].replaceAll(/<[^>]+>/g, " ");
  expect(slots).toMatch(/2026-03-02 15:00:00 +in 60 min/);
  expect(slots).not.toContain("14:00:00");
  expect(slots.match(/Europe\/Berlin/g)).toHaveLength(1);
  const story = /<section id="job-story".*?<\/section>/s.exec(html)![0].replaceAll(/<[^>]+>/g, " ");
  expect(story.match(/Europe\/Berlin/g)).toHaveLength(1);
});

test("R37: pages round a run's length as messages do, and say the day of what arrived on another", async () => {
  await using world = opened();
  const { service, textOf } = world;
  await service.send(ping({ schedule: "0 * * * *", kind: "start" }));
  service.look(service.now + 39_600);
  await service.send(ping({ kind: "fail" }));
  service.look(service.now + 13 * HOUR);
  const sent = { send: async () => ({ verdict: "delivered", answer: "ok" }) as const };
  await deliver(service, { hook: sent });
  const [job, incident] = [await textOf("/jobs/prod/job"), await textOf("/incidents/1")];
  expect(job).toContain("Failed after 40 s");
  expect(incident).toContain("40 seconds after its start");
  expect(incident).toContain("Failed after 40 s");
  expect(incident).toMatch(/hook: arrived 2026-03-03 01:00:39/);
});

test("a job that comes into trouble again and again says so on its row, its page and in commands, though it is well now", async () => {
  await using world = opened();
  const { service, textOf } = world;
  const trouble = async () => {
    await service.send(ping({ monitorKey: "sync", schedule: "*/30 * * * *", kind: "fail" }));
    service.look(service.now + MINUTE);
    await service.send(ping({ monitorKey: "sync" }));
  };
  const said = () => {
    const shown = service.engine.operate("monitor show", { key: "sync" });
    return "now" in shown ? shown.now.map(({ text }) => text).join("") : "";
  };
  for (let time = 0; time < 2; time++) {
    await trouble();
    service.look(service.now + 29 * MINUTE);
  }
  expect([said().includes("incidents"), (await textOf("/")).includes("incidents in")]).toEqual([false, false]);
  for (let time = 2; time < 10; time++) {
    await trouble();
    service.look(service.now + 29 * MINUTE);
  }
  expect(said()).toMatch(/^succeeded 29 min ago, .*; 10 incidents in 5 h$/);
  expect(await textOf("/jobs/prod/sync")).toContain("10 incidents in 5 h");
  expect(await textOf("/")).toContain("Sync 10 incidents in 5 hours");
  service.look(service.now + 2 * HOUR);
  await trouble();
  service.look(service.now + 25 * HOUR);
  expect(said()).not.toContain("11 incidents");
});

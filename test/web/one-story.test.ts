// A story is one: its page and the terminal say the same words at the same times.

import { expect, test } from "bun:test";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { deliver } from "../cli/delivering.ts";
import { openRunning } from "../support/commands.ts";
import { NOON, ping } from "../support/engine.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";

const spaced = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** The entries of a story on a page, without the words of shapes, in one line. */
function wordsOfPage(html: string, id: string): string {
  const from = html.indexOf(`id="${id}"`);
  const story = html.slice(
    html.indexOf('<section class="story-day"', from),
    html.indexOf("</section></section>", from),
  );
  return spaced(
    story
      .replaceAll(/<title>.*?<\/title>/g, "")
      .replaceAll(/<\/?(bdi|span|time|small)[^>]*>/g, "")
      .replaceAll(/<[^>]+>/g, " ")
      .replaceAll("&#39;", "'"),
  ).replaceAll(/ (?=[,:;])/g, "");
}

/** What a command prints from its first day on; `> ` quotes. */
const wordsOfTerminal = (out: string): string =>
  spaced(
    out
      .slice(out.search(/^\d{4}-\d\d-\d\d /m))
      .replaceAll(/^(\d{4}-\d\d-\d\d) UTC$/gm, "$1")
      .replaceAll("> ", " "),
  );

/** The terminal joins the sentences of a message to its head by a full stop. */
const joined = (words: string): string => words.replaceAll(/[.]/g, "");

test("R18: an incident, and why a job stands as it does, are told alike on the page and in the terminal", async () => {
  await using place = openRunning();
  const { service } = place;
  const pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
  await using sink = startHttpSink(() => new Response(null, { status: 204 }));
  const hook = CHANNELS.webhook({ url: sink.url, secret: `whsec_${"a".repeat(32)}` });
  const told = { schedule: "0 * * * *", maxRuntimeSeconds: 600 };
  await service.send(ping(told), ping({ ...told, kind: "start", runId: "a" }));
  service.look(NOON + 20 * MINUTE);
  await deliver(service, { hook });
  await service.send(ping({ ...told, kind: "fail", message: "disk full" }));
  granted(service.engine.operate("incident ack", { id: 1 }));
  service.look(NOON + 40 * MINUTE);
  await service.send(ping({ ...told, kind: "complete", runId: "a" }));
  service.look(NOON + HOUR + 30 * MINUTE);
  await deliver(service, { hook });
  const pageOf = async (path: string) => (await fetch(pages.url + path)).text();
  for (const id of ["1", "2"]) {
    const shown = wordsOfPage(await pageOf(`/incidents/${id}`), "story");
    expect(shown).toContain(id === "1" ? "Ended too late after 40 min" : "Missed");
    expect(joined(shown)).toBe(joined(wordsOfTerminal((await place.run("incident", "show", id)).out)));
  }
  const shown = wordsOfPage(await pageOf("/jobs/prod/job/why"), "why");
  expect(shown).toContain("Incident 2 opened");
  expect(joined(shown)).toBe(joined(wordsOfTerminal((await place.run("why", "job")).out)));
  await pages.stop(0);
});

test("R20: a job's page tells the slots that nothing filled, those in a row as one", async () => {
  await using place = openRunning();
  const { service } = place;
  const pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
  const told = { schedule: "*/10 * * * *" };
  await service.send(ping(told));
  service.look(NOON + 15 * MINUTE);
  await service.send(ping(told));
  service.look(NOON + 58 * MINUTE);
  const shown = wordsOfPage(await (await fetch(`${pages.url}/jobs/prod/job`)).text(), "job-story");
  expect(shown).toContain("Missed 3 times since 12:30:00");
  expect(shown).toContain("12:10:00 Missed: nothing came in time; it came at 12:15:00, 5 min late");
  const searched = await (await fetch(`${pages.url}/jobs/prod/job?find=disk`)).text();
  expect(searched).not.toContain("Missed: nothing came");
  await pages.stop(0);
});

// What one person's browsers can take of rollcall: live connections, pages under way, and bytes that wait.

import { describe, expect, test } from "bun:test";
import { raw } from "hono/html";
import { jsx } from "hono/jsx";
import { refuse } from "../../src/domain/errors.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { createAdmission } from "../../src/web/admission.ts";
import { type Shown, shownParts } from "../../src/web/live/live-part.tsx";
import { createSeats } from "../../src/web/live/seats.ts";
import { openService, ping } from "../support/engine.ts";
import { until } from "../support/executable.ts";
import { ADA, livePathOf, startPages } from "../support/pages.ts";
import { type Browser, PASSWORD, startPeople } from "../support/people-server.ts";
import { nextTurn, TURNS } from "../support/turns.ts";

/** No request takes any time. */
const FROZEN = { monotonic: () => 0 };

const cookieOf = (browser: Browser): string =>
  [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");

test("R33: the 21st live connection of a session is refused in words, and is taken once another has closed", async () => {
  await using server = startPeople();
  server.person("Ada");
  const [browser, other] = [server.browser(), server.browser()];
  for (const one of [browser, other]) await one.post("/sign-in", { name: "Ada", password: PASSWORD });
  const open = (page = "/", by = browser) =>
    fetch(server.url + livePathOf(page), { headers: { cookie: cookieOf(by) } });
  const paths = ["/", "/incidents", "/deliveries", "/day"];
  const connections = [];
  for (let place = 0; place < 20; place++) connections.push(await open(paths[place % 4]));
  expect(connections.map(({ status }) => status)).toEqual(Array(20).fill(200));
  for (const path of paths) {
    const refused = await open(path);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "30"]);
    expect(await refused.text()).toContain("20 pages of this session are open already");
  }
  expect((await browser.get("/")).status).toBe(200);
  const elsewhere = await open("/", other);
  expect(elsewhere.status).toBe(200);
  await Promise.all([connections[0]!.body!.cancel(), elsewhere.body!.cancel()]);
  const again = await until("a free place", async () => {
    const answer = await open();
    return answer.status === 200 ? answer : null;
  });
  await Promise.all([again, ...connections.slice(1)].map(({ body }) => body!.cancel()));
});

test("R33: a person has 100 live connections, all together 1,000; one that is left twice is left once", () => {
  const seats = createSeats();
  const viewer = (id: number, sessionId: number | null) => ({ ...ADA, id, sessionId });
  const taken = (id: number, sessionId: number | null): number => {
    let count = 0;
    for (; seats.refuse(viewer(id, sessionId)) === null; count++) seats.take(viewer(id, sessionId));
    return count;
  };
  const leave = seats.take(viewer(1, 1));
  expect([taken(1, 1), taken(1, 2), taken(1, 3), taken(1, 4), taken(1, 5), taken(1, 6)]).toEqual([
    19, 20, 20, 20, 20, 0,
  ]);
  leave();
  leave();
  expect(taken(1, 6)).toBe(1);
  // Without a session, an address has as many as one.
  expect(taken(2, null)).toBe(20);
  let all = 120;
  for (let id = 3; id < 60; id++) for (let session = 0; session < 5; session++) all += taken(id, id * 10 + session);
  expect(all).toBe(1_000);
  expect(seats.refuse(viewer(99, 1))).toMatchObject({ message: expect.stringContaining("1000 pages are open") });
});

test("R33: whose live connections are refused is asked once a second, and they are taken once a seat is free", async () => {
  let now = 0;
  let asked = 0;
  const seats = createSeats();
  const viewerOf = (request: Request) => {
    asked++;
    return { ...ADA, sessionId: Number(request.headers.get("cookie")) };
  };
  const admit = createAdmission(viewerOf, seats, { monotonic: () => now }, TURNS);
  const ask = (session: number, path = livePathOf("/")) =>
    admit(new Request(`http://localhost${path}`, { headers: { cookie: String(session) } }), null, () => new Response());
  const statusOf = async (session: number, path?: string) => (await ask(session, path)).status;
  const leave = Array.from({ length: 20 }, () => seats.take({ ...ADA, sessionId: 1 }));
  const refused = Array.from({ length: 1_000 }, () => ask(1));
  expect(asked).toBe(1);
  // None waits for a turn.
  expect(refused.every((answer) => answer instanceof Response && answer.status === 429)).toBe(true);
  expect(await Promise.all([statusOf(2), statusOf(1, "/"), statusOf(1)])).toEqual([200, 200, 429]);
  expect(asked).toBe(3);
  now = 1_000;
  expect([await statusOf(1), asked]).toEqual([429, 4]);
  leave[0]!();
  expect([await statusOf(1), asked]).toEqual([200, 5]);
});

test("R33: two pages of a person are at work; more wait, too many are refused, and those of browsers that left are not made", async () => {
  let atWork = 0;
  let most = 0;
  let made = 0;
  let finish = (): void => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const admit = createAdmission(
    (request) => ({ ...ADA, id: Number(request.headers.get("x-person")) }),
    createSeats(),
    FROZEN,
    TURNS,
  );
  const ask = (person: number, path = "/", signal?: AbortSignal) =>
    admit(
      new Request(`http://localhost${path}`, { headers: { "x-person": String(person) }, ...(signal && { signal }) }),
      null,
      async () => {
        made++;
        atWork++;
        most = Math.max(most, atWork);
        await held;
        atWork--;
        return new Response("made");
      },
    );
  const gone = new AbortController();
  const asked = Array.from({ length: 102 }, (_, place) => ask(1, "/", place >= 50 ? gone.signal : undefined));
  const refused = await ask(1);
  expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining("too many pages at once")]);
  expect([atWork, made]).toEqual([2, 2]);
  // Somebody else does not wait for them.
  const other = ask(2);
  await until("the other's page", () => (atWork === 3 ? true : null));
  gone.abort();
  finish();
  expect((await other).status).toBe(200);
  const answers = await Promise.all(asked.map(async (answer) => (await answer).text()));
  expect(answers.filter((text) => text === "made")).toHaveLength(50);
  expect([most, made]).toEqual([3, 51]);
});

test("R33: requests are answered at once until they fill their span of a turn, then a span a turn, in the order of asking", async () => {
  let now = 0;
  const admit = createAdmission(() => ADA, createSeats(), { monotonic: () => now }, TURNS);
  const made: number[] = [];
  const ask = (place: number, answer = (): Response | Promise<Response> => new Response("made")) =>
    admit(new Request("http://localhost/"), null, () => {
      made.push(place);
      now += 1;
      return answer();
    });
  const answers = Array.from({ length: 12 }, (_, place) => ask(place));
  const [atOnce, later] = [answers.slice(0, 6), answers.slice(6)];
  expect(atOnce.every((answer) => answer instanceof Response)).toBe(true);
  expect(later.every((answer) => answer instanceof Promise)).toBe(true);
  expect(made).toEqual([0, 1, 2, 3, 4, 5]);
  // Each takes a millisecond, and a turn has two for them.
  await nextTurn();
  expect(made).toHaveLength(8);
  expect(ask(12)).toBeInstanceOf(Promise);
  await nextTurn();
  expect(made).toHaveLength(10);
  await Promise.all(later);
  await until("the last one", () => (made.length === 13 ? true : null));
  expect(made).toEqual(Array.from({ length: 13 }, (_, place) => place));
});

test("R33: where no request waits, one is answered at once, also beside a page at work and after one that failed", async () => {
  const admit = createAdmission(() => ADA, createSeats(), FROZEN, TURNS);
  const ask = (answer: () => Response | Promise<Response>) => admit(new Request("http://localhost/"), null, answer);
  const { promise, resolve } = Promise.withResolvers<Response>();
  const slow = ask(() => promise);
  expect(slow).toBeInstanceOf(Promise);
  expect(ask(() => new Response("made"))).toBeInstanceOf(Response);
  const failing = (): Response => {
    throw new Error("no database");
  };
  for (let time = 0; time < 3; time++) expect(() => ask(failing)).toThrow("no database");
  expect(ask(() => new Response("made"))).toBeInstanceOf(Response);
  resolve(new Response("made"));
  await slow;
});

/** Notes each read of a page, and when other work, which asked for a turn at that read, has had it. */
function noting(engine: Engine, log: string[]): Engine {
  const READS = new Set(["as", "notified", "incidents", "openIncidents", "deliveries", "troubledIn"]);
  const noted = (name: string): void => {
    log.push(name);
    void nextTurn().then(() => log.push("others"));
  };
  const noting = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name: keyof Part & string) {
        const value = target[name] as unknown;
        if (typeof value !== "function") return value;
        if (name === "job") {
          return function* (...given: unknown[]) {
            noted(name);
            return yield* value(...given);
          };
        }
        return (...given: unknown[]) => {
          if (READS.has(name) && given[0] !== "host") noted(name);
          return value(...given);
        };
      },
    });
  return noting({ ...engine, views: noting(engine.views) });
}

const JOB_READS = ["as", "others", "job", "others"];

describe("R33: between two reads of one page, and before it is written, others have their turn:", () => {
  test.each([
    ["a job's page", "/jobs/prod/job", JOB_READS],
    // Whether there is such a job is read when the connection is opened.
    ["a job's page that is kept open", livePathOf("/jobs/prod/job"), ["as", "others", ...JOB_READS]],
    ["the incidents", "/incidents", ["incidents", "others", "incidents", "others"]],
    ["the incidents, kept open", livePathOf("/incidents"), ["incidents", "others", "incidents", "others"]],
    ["the deliveries", "/deliveries", Array(3).fill(["deliveries", "others"]).flat()],
    ["the deliveries, kept open", livePathOf("/deliveries"), Array(3).fill(["deliveries", "others"]).flat()],
    ["the first page", "/", ["openIncidents", "others", "notified", "others"]],
    ["the day", "/day", ["troubledIn", "others"]],
  ])("%s", async (_, path, reads) => {
    using service = openService();
    await service.send(ping({ monitorKey: "job", schedule: "* * * * *", kind: "fail", message: "no" }));
    const log: string[] = [];
    const clock = { now: () => service.now, monotonic: () => performance.now() };
    const pages = startPages(noting(service.engine, log), { clock });
    const leave = new AbortController();
    const answer = await fetch(pages.url + path, { signal: leave.signal });
    expect(answer.status).toBe(200);
    const body = answer.body!.getReader();
    const decoder = new TextDecoder();
    let text = "";
    await until("the job", async () => {
      text += decoder.decode((await body.read()).value, { stream: true });
      return text.includes('id="headline"') ? true : null;
    });
    leave.abort();
    expect(log).toEqual(reads);
    await pages.stop(0);
  });
});

test("R33: what a job's page shows of its past is read in pieces", async () => {
  using service = openService();
  await service.send(ping({ monitorKey: "job", schedule: "* * * * *", kind: "fail", message: "no" }));
  const asked = { part: "all", before: Number.MAX_SAFE_INTEGER, find: "", limit: 1 } as const;
  // Its days in four, its story, its runs and what was told.
  expect([...service.engine.views.job("prod", "job", asked)].length).toBeGreaterThanOrEqual(8);
});

test("R33: a page is written a part in each piece", () => {
  const written: string[] = [];
  const Part = ({ name }: { name: string }) => {
    written.push(name);
    return raw(name);
  };
  const work = shownParts({ one: jsx(Part, { name: "1" }), other: jsx(Part, { name: "2" }) });
  expect(work.next().done).toBe(false);
  expect(written).toEqual([]);
  expect(work.next().done).toBe(false);
  expect(written).toEqual(["1"]);
  const { done, value } = work.next();
  expect([done, written]).toEqual([true, ["1", "2"]]);
  expect([...(value as Shown).parts]).toEqual([
    ["one", "1"],
    ["other", "2"],
  ]);
});

test("what cannot say who asks is answered where the page is made", async () => {
  const failing = createAdmission(
    () => {
      throw new Error("no database");
    },
    createSeats(),
    FROZEN,
    TURNS,
  );
  const refusal = refuse("STORAGE_UNAVAILABLE", "not now");
  const answer = await failing(new Request("http://localhost/"), null, async () =>
    Response.json(refusal, { status: 503 }),
  );
  expect(answer.status).toBe(503);
});

// What receivers are owed (R38): messages that they should have, and that no row was written for because they were none
// then, or that were given up while they took nothing. Over real tables; nothing is sent.

import { describe, expect, test } from "bun:test";
import type { DestinationRules, Policy } from "../../src/domain/settings/policy.ts";
import type { Hearing } from "../../src/domain/telling/hearing.ts";
import { HOUR, type Instant, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { Ending } from "../../src/engine/api.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { NOTHING_NEW } from "../support/alerts.ts";
import { MESSAGES } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const fail = (service: Service) =>
  service.send(ping({ schedule: "0 0 29 2 *" }), ping({ kind: "fail", message: "disk full" }));
const fails = (service: Service) => service.send(ping({ kind: "fail" }));
const works = (service: Service) => service.send(ping());

type News = ReadonlyMap<string, { since: Instant; answer: null; blocked: boolean } | null>;

/** What may be attempted at `now`. */
function claimed(service: Service, now: Instant, endings: readonly Ending[] = [], limit = 16, news: News = new Map()) {
  const wanted = { now, busy: new Set<string>(), limit, each: 16, digests: new Map(), ...NOTHING_NEW, news };
  const engine = { deliveriesEnded: () => {}, worksAgain: service.engine.worksAgain, isSettling: () => false };
  const { claimed } = createOutbox(service.store.database, () => {}, engine).exchange(endings, wanted);
  return { claimed, told: claimed.map(({ destination, message }) => `${destination} ${message.type}`) };
}

function sendAll(service: Service, now: Instant): string[] {
  const { claimed: all, told } = claimed(service, now);
  const endings = all.map(({ id }): Ending => ({ id, ending: "sent", at: now, answer: "200" }));
  claimed(service, now, endings, 0);
  return told;
}

const telling = (destinations: Readonly<Record<string, DestinationRules>>, more: Partial<Policy> = {}): Policy =>
  policyWith({
    destinations: new Map(Object.entries(destinations)),
    team: { name: null, destinations: [...(more.rotas?.keys() ?? Object.keys(destinations))], members: [] },
    ...more,
  });

const chatAnd = (name: string, hears: Hearing = {}) => telling({ chat: MESSAGES, [name]: { ...MESSAGES, hears } });

describe("R38: who hears of a job only while it is in trouble", () => {
  /** The job fails at noon, and an hour later this is in force. */
  async function later(policy: Policy, before: (service: Service) => unknown = () => {}): Promise<string[]> {
    using service = openService(telling({ chat: MESSAGES }));
    await fail(service);
    sendAll(service, NOON);
    service.at(NOON + HOUR);
    await before(service);
    sendAll(service, service.now);
    const told: string[] = [];
    for (const _ of ["once", "twice"]) {
      service.reload(policy);
      service.endTurns();
      told.push(...sendAll(service, service.now));
    }
    return told;
  }

  test("is told of it, once", async () => {
    expect(await later(chatAnd("boss"))).toEqual(["boss monitor.initial_failure"]);
  });

  test("is told at once also when it hears later, because the trouble is older", async () => {
    expect(await later(chatAnd("boss", { afterSeconds: 1_200 }))).toEqual(["boss monitor.initial_failure"]);
    expect(await later(chatAnd("boss", { afterSeconds: 7_200 }))).toEqual([]);
  });

  test("hears nothing of what a person has taken on, or paused", async () => {
    const taken = (service: Service) => service.engine.operate("incident ack", { id: 1 });
    expect(await later(chatAnd("boss"), taken)).toEqual([]);
    const paused = (service: Service) => service.engine.operate("monitor pause", { key: "job" });
    expect(await later(chatAnd("boss"), paused)).toEqual([]);
  });

  test("hears nothing of what does not concern it", async () => {
    expect(await later(chatAnd("boss", { severity: "critical" }))).toEqual([]);
  });

  test("hears nothing where another turn of its rota was told", async () => {
    const rota = { name: "oncall", turns: ["ada", "bob"], since: NOON - HOUR, hears: {} };
    const policy = telling({ ada: MESSAGES, bob: MESSAGES }, { rotas: new Map([["oncall", rota]]) });
    using service = openService(policy);
    await fail(service);
    const told = sendAll(service, NOON);
    expect(told).toHaveLength(1);
    const nextWeek = NOON + 8 * 24 * HOUR;
    service.at(nextWeek);
    service.restart(policy);
    service.endTurns();
    expect(sendAll(service, nextWeek).filter((one) => one.endsWith("initial_failure"))).toEqual([]);
  });

  test("is told when the job gets worse, and what it is now", async () => {
    using service = openService(chatAnd("boss", { severity: "critical" }));
    await fail(service);
    expect(sendAll(service, NOON)).toEqual(["chat monitor.initial_failure"]);
    granted(service.engine.operate("monitor set", { key: "job", severity: "critical" }));
    const [told] = claimed(service, NOON).claimed;
    expect(told).toMatchObject({ destination: "boss", message: { data: { severity: "critical" } } });
  });
});

describe("R38: a destination that takes messages again", () => {
  const FAILING = { since: NOON, answer: null, blocked: false } as const;

  const GIVEN_UP = NOON + 24 * HOUR;

  /** The opening or the end was given up at noon and a day, after what came meanwhile. */
  async function gaveUp(what: "opening" | "end", meanwhile = async (_: Service): Promise<unknown> => undefined) {
    const service = openService(telling({ boss: what === "end" ? { takes: "incidents" } : MESSAGES }));
    await fail(service);
    if (what === "end") {
      sendAll(service, NOON);
      await works(service);
    }
    const [waits] = claimed(service, NOON, [], 16, new Map([["boss", FAILING]])).claimed;
    service.at(GIVEN_UP);
    await meanwhile(service);
    claimed(service, GIVEN_UP, [{ id: waits!.id, ending: "given_up", at: GIVEN_UP, answer: "no answer" }], 0);
    return service;
  }

  const takesAgain = (service: Service) => {
    claimed(service, service.now, [], 0, new Map([["boss", null]]));
    service.endTurns();
  };

  test("hears of the incident that stands", async () => {
    using service = await gaveUp("opening");
    service.at(service.now + MINUTE);
    expect(sendAll(service, service.now)).toEqual([]);
    takesAgain(service);
    expect(sendAll(service, service.now)).toEqual(["boss monitor.initial_failure"]);
    takesAgain(service);
    expect(sendAll(service, service.now)).toEqual([]);
  });

  test("hears of the end that was given up, and not twice", async () => {
    using service = await gaveUp("end");
    service.at(GIVEN_UP + SECOND);
    takesAgain(service);
    expect(sendAll(service, service.now)).toEqual(["boss monitor.recovered"]);
    takesAgain(service);
    expect(sendAll(service, service.now)).toEqual([]);
  });

  test("hears of the end of each incident it was told of, although it was told of another since: a machine", async () => {
    using service = await gaveUp("end", fails);
    const at = GIVEN_UP + SECOND;
    const [opening] = claimed(service, at).claimed;
    claimed(service, at, [{ id: opening!.id, ending: "sent", at, answer: "200" }], 0, new Map([["boss", null]]));
    service.at(at);
    service.endTurns();
    expect(sendAll(service, service.now)).toEqual(["boss monitor.recovered"]);
    await works(service);
    service.endTurns();
    expect(sendAll(service, service.now)).toEqual(["boss monitor.recovered"]);
  });

  test("is not told again what it refused while it took others", async () => {
    using service = openService(telling({ boss: MESSAGES }));
    await fail(service);
    const [opening] = claimed(service, NOON).claimed;
    claimed(service, NOON, [{ id: opening!.id, ending: "given_up", at: NOON, answer: "400: too long" }], 0);
    service.restart(telling({ boss: MESSAGES }));
    service.endTurns();
    expect(sendAll(service, service.now)).toEqual([]);
  });
});

describe("R38: who was told and is gone when an incident ends", () => {
  const member = (email: string) => ({ email, name: email, events: ["InitialFailure", "Recovered"] }) as const;
  const mail = (...emails: string[]) =>
    policyWith({
      destinations: new Map([["mail", { takes: "mail", recipients: null }]]),
      team: { name: null, destinations: ["mail"], members: emails.map(member) },
    });
  const PAGER = { takes: "incidents" } as const;
  const CASES = {
    "a chat": [telling({ chat: MESSAGES, boss: MESSAGES }), telling({ chat: MESSAGES }), "boss"],
    "a pager": [telling({ chat: MESSAGES, pager: PAGER }), telling({ chat: MESSAGES }), "pager"],
    "a member": [mail("ada@example.org", "bob@example.org"), mail("ada@example.org"), "mail"],
  } as const;

  async function endedWhile(what: keyof typeof CASES): Promise<Service> {
    const [whole, without] = CASES[what];
    const service = openService(whole);
    await fail(service);
    sendAll(service, NOON);
    service.reload(without);
    service.at(NOON + 10 * MINUTE);
    await works(service);
    sendAll(service, service.now);
    return service;
  }

  test.each(["a chat", "a pager", "a member"] as const)("hears of it once back: %s", async (what) => {
    for (const by of ["a reload", "a start"]) {
      using service = await endedWhile(what);
      service.at(NOON + HOUR);
      if (by === "a reload") service.reload(CASES[what][0]);
      else service.restart(CASES[what][0]);
      service.endTurns();
      expect(sendAll(service, service.now)).toEqual([`${CASES[what][2]} monitor.recovered`]);
      service.reload(CASES[what][1]);
      service.reload(CASES[what][0]);
      expect(sendAll(service, service.now)).toEqual([]);
    }
  });

  test("hears of it once back also where it waited as the destination was taken out", async () => {
    using service = openService(CASES["a pager"][0]);
    await fail(service);
    sendAll(service, NOON);
    await works(service);
    const [end] = claimed(service, NOON).claimed.filter(({ destination }) => destination === "pager");
    const answer = "the destination is not configured any more";
    claimed(service, NOON, [{ id: end!.id, ending: "given_up", at: NOON, answer }], 0);
    service.reload(CASES["a pager"][1]);
    service.reload(CASES["a pager"][0]);
    expect(sendAll(service, NOON + MINUTE)).toContain("pager monitor.recovered");
  });

  test.each(["a chat", "a pager"] as const)("hears of it also where its opening waited meanwhile: %s", async (what) => {
    const [whole, without, name] = CASES[what];
    using service = openService(whole);
    await fail(service);
    const opening = claimed(service, NOON).claimed.find(({ destination }) => destination === name)!;
    const [ending, answer, nextAttemptAt] = ["retry", "connection refused", NOON + MINUTE] as const;
    claimed(service, NOON, [{ id: opening.id, ending, answer, nextAttemptAt }], 0);
    service.reload(without);
    await works(service);
    // Of this one it is told nothing.
    await fails(service);
    await works(service);
    service.reload(whole);
    service.endTurns();
    service.reload(whole);
    service.endTurns();
    const told = Array.from({ length: 5 }, () => sendAll(service, NOON + HOUR)).flat();
    const own = told.filter((one) => one.startsWith(name)).map((one) => one.split(".")[1]!);
    expect(own).toEqual(["initial_failure", "recovered"]);
  });

  test("hears of it also where its opening was on its way meanwhile", async () => {
    using service = openService(CASES["a chat"][0]);
    await fail(service);
    const opening = claimed(service, NOON).claimed.find(({ destination }) => destination === "boss")!;
    service.reload(CASES["a chat"][1]);
    await works(service);
    claimed(service, NOON, [{ id: opening.id, ending: "sent", at: NOON, answer: "200" }], 0);
    service.reload(CASES["a chat"][0]);
    service.endTurns();
    const told = [...sendAll(service, NOON + MINUTE), ...sendAll(service, NOON + MINUTE)];
    expect(told.filter((one) => one.startsWith("boss"))).toEqual(["boss monitor.recovered"]);
  });

  test("hears no end of what it was never told", async () => {
    using service = openService(telling({ chat: MESSAGES, boss: MESSAGES }));
    await fail(service);
    const opening = claimed(service, NOON).claimed.find(({ destination }) => destination === "boss")!;
    const answer = "the destination is not configured any more";
    claimed(service, NOON, [{ id: opening.id, ending: "given_up", at: NOON, answer }], 0);
    service.reload(telling({ chat: MESSAGES }));
    await works(service);
    service.reload(telling({ chat: MESSAGES, boss: MESSAGES }));
    service.endTurns();
    const told = [...sendAll(service, NOON + MINUTE), ...sendAll(service, NOON + MINUTE)];
    expect(told.filter((one) => one.startsWith("boss"))).toEqual([]);
  });

  const GOES_ON = {
    // People know that it is in trouble: what they hear of is the trouble that goes on.
    "a chat": ["initial_failure", "recovered"],
    "a pager": ["recovered", "initial_failure", "recovered"],
  };

  test.each(["a chat", "a pager"] as const)("hears what goes on since, and the end of that: %s", async (what) => {
    using service = await endedWhile(what);
    service.at(NOON + 20 * MINUTE);
    await fails(service);
    sendAll(service, service.now);
    service.at(NOON + 50 * MINUTE);
    service.reload(CASES[what][0]);
    service.endTurns();
    const told = [0, 1].flatMap(() => sendAll(service, service.now));
    await works(service);
    service.at(NOON + 2 * HOUR);
    const own = [...told, ...sendAll(service, service.now)].filter((one) => one.startsWith(CASES[what][2]));
    expect(own.map((one) => one.split(".")[1]!)).toEqual(GOES_ON[what]);
  });
});

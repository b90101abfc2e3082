// Laws of who is told what (R36, R38), over real tables: a job does what it likes, people answer, pause, delete and
// make it again, and each destination has rules of its own. Two take turns, and the week changes while a job is played.
// The notifier is asked each minute, and all that is due arrives, but where a receiver is away. PROPERTY_RUNS tries
// more histories than a run of the tests does.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { AlertKind } from "../../src/domain/message/alert.ts";
import { isAlert } from "../../src/domain/message/message.ts";
import type { DestinationRules } from "../../src/domain/settings/policy.ts";
import { parseQuiet } from "../../src/domain/telling/hearing.ts";
import { DAY, HOUR, type Instant, MINUTE, toIso } from "../../src/domain/time.ts";
import type { Ending } from "../../src/engine/api.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { NOTHING_NEW } from "../support/alerts.ts";
import { MESSAGES } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { granted } from "../support/service.ts";

const QUIET = { quiet: [parseQuiet("12:00-13:30")!, parseQuiet("16:00-17:00")!] };
const LATER = { afterSeconds: 1_200 };

const DESTINATIONS = {
  chat: MESSAGES,
  night: { ...MESSAGES, hears: QUIET },
  boss: { ...MESSAGES, hears: LATER },
  late: { ...MESSAGES, hears: { ...LATER, ...QUIET } },
  hook: { takes: "events", hears: QUIET },
  pager: { takes: "incidents" },
  nightPager: { takes: "incidents", hears: QUIET },
  latePager: { takes: "incidents", hears: LATER },
  bob: MESSAGES,
  eve: MESSAGES,
} as const satisfies Record<string, DestinationRules>;

type Name = keyof typeof DESTINATIONS;

/** After so long a destination has heard all of a job that is well: quiet hours, its wait and the damping are over. */
const SETTLED = 4 * HOUR;

const DOES = ["fail", "success", "acknowledge", "unacknowledge", "resolve", "pause", "resume", "delete"] as const;
/** Some destinations are taken out, or all are in force again. */
const CHANGES = ["take out", "put back", "restart"] as const;
/** Some receivers are away, or all are there again. */
const OUTAGES = ["go away", "come back"] as const;
type Does = (typeof DOES)[number] | (typeof CHANGES)[number] | (typeof OUTAGES)[number];

const stepsOf = (does: readonly Does[], weight = 3) =>
  fc.array(
    fc.record({
      after: fc.integer({ min: 1, max: 45 }),
      does: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom<Does>("fail") },
        { weight: 4, arbitrary: fc.constantFrom<Does>("success") },
        { weight, arbitrary: fc.constantFrom(...does) },
      ),
    }),
    { minLength: 3, maxLength: 14 },
  );

const telling = (names: readonly Name[]) => {
  const destinations = new Map(names.map((name): [string, DestinationRules] => [name, DESTINATIONS[name]]));
  const named = names.filter((name) => !TURNS.includes(name));
  const team = { name: null, destinations: [...named, ROTA.name], members: [] };
  return policyWith({ destinations, team, rotas: new Map([[ROTA.name, ROTA]]) });
};

const TURNS: readonly Name[] = ["bob", "eve"];
const WEEK = 7 * DAY;
/** Each job is played for some hours from noon on; the week of one ends amid that. */
const ROTA = { name: "oncall", turns: TURNS, since: NOON + 2 * HOUR - WEEK, hears: {} };
/** Not those that are called only for what stands: what was tried there once arrives, though it may be over. */
const MAY_BE_AWAY: readonly Name[] = ["chat", "night", "late", "pager", "hook", "bob"];
const TRIED_AGAIN_AFTER = 5 * MINUTE;

const ALL = Object.keys(DESTINATIONS) as Name[];
const WITHOUT_SOME = ALL.filter((name) => !["chat", "boss", "pager", "nightPager"].includes(name));

interface Told {
  readonly to: Name;
  readonly at: Instant;
  readonly kind: AlertKind;
  readonly incident: number;
  /** As it stood when this was sent. */
  readonly isOpen: boolean;
  readonly isAcknowledged: boolean;
}

/** How long an incident was acknowledged. `to` is infinite when nobody took that back. */
interface TakenOn {
  readonly incident: number;
  readonly from: Instant;
  to: Instant;
}

function createPlayer(service: Service) {
  let takenOn: TakenOn[] = [];
  let outbox = createOutbox(service.store.database, () => {});
  let areAway = false;
  const wanted = { busy: new Set<string>(), limit: 16, each: 16, digests: new Map<string, number>(), ...NOTHING_NEW };

  function send(now: Instant): Told[] {
    const told: Told[] = [];
    for (let endings: Ending[] = []; ; ) {
      const { claimed } = outbox.exchange(endings, { ...wanted, now });
      if (claimed.length === 0) return told;
      const isAway = (destination: string): boolean => areAway && MAY_BE_AWAY.includes(destination as Name);
      const nextAttemptAt = now + TRIED_AGAIN_AFTER;
      endings = claimed.map(({ id, destination }) =>
        isAway(destination)
          ? { id, ending: "retry", answer: "connection refused", nextAttemptAt }
          : { id, ending: "sent", answer: "200", at: now },
      );
      for (const { destination, message } of claimed) {
        if (!isAlert(message) || isAway(destination)) continue;
        const incident = Number(message.data.incidentId);
        const { closedAt, acknowledgedAt } = service.store.incidents.load(incident);
        const stands = { isOpen: closedAt === null, isAcknowledged: acknowledgedAt !== null };
        told.push({ to: destination as Name, at: now, kind: message.data.kind, incident, ...stands });
      }
    }
  }

  /** What a person or the job does; what is refused, because it does not apply, changes nothing. */
  async function act(does: Does, key: string): Promise<void> {
    const { engine } = service;
    const [open] = service.store.database
      .query<{ id: number }, [string]>(
        "select i.id from incidents i join monitors m on m.id = i.monitor_id where m.key = ? and m.deleted_at is null and i.closed_at is null",
      )
      .all(key);
    switch (does) {
      case "fail":
        return void (await service.send(ping({ monitorKey: key, kind: "fail", schedule: "0 0 29 2 *" })));
      case "success":
        return void (await service.send(ping({ monitorKey: key, schedule: "0 0 29 2 *" })));
      case "acknowledge":
        if (open === undefined || !granted(engine.operate("incident ack", open)).changed) return;
        takenOn.push({ incident: open.id, from: service.now, to: Number.POSITIVE_INFINITY });
        return;
      case "unacknowledge":
        if (open !== undefined && granted(engine.operate("incident unack", open)).changed)
          takenOn.at(-1)!.to = service.now;
        return;
      case "resolve":
        return void (open && engine.operate("incident resolve", open));
      case "pause":
        return void engine.operate("monitor pause", { key });
      case "resume":
        return void engine.operate("monitor resume", { key });
      case "delete":
        return void engine.operate("monitor delete", { key });
      case "take out":
        return reload(WITHOUT_SOME);
      case "put back":
        return reload(ALL);
      case "go away":
      case "come back":
        areAway = does === "go away";
        return;
      case "restart":
        service.restart();
        outbox = createOutbox(service.store.database, () => {});
        return service.endTurns();
      default:
        does satisfies never;
    }
  }

  function reload(names: readonly Name[]): void {
    service.reload(telling(names));
    service.endTurns();
    const written = rows();
    service.reload(telling(names));
    service.endTurns();
    // What is owed is paid once.
    expect(rows()).toBe(written);
  }

  const rows = (): number =>
    service.store.database.query<{ n: number }, []>("select count(*) as n from deliveries").get()!.n;

  /** A job is made at `from`, and all that is told of it. */
  return async (steps: readonly Readonly<{ after: number; does: Does }>[], from: Instant) => {
    const key = `job-${from}`;
    service.at(from);
    await service.send(ping({ monitorKey: key, schedule: "0 0 29 2 *" }));
    const told: Told[] = [];
    takenOn = [];
    let now = from;
    const wait = (until: Instant): void => {
      for (; now < until; now += MINUTE) {
        service.at(now);
        told.push(...send(now));
      }
      service.at(now);
    };
    for (const { after, does } of steps) {
      wait(now + after * MINUTE);
      told.push(...send(now));
      await act(does, key);
      told.push(...send(now));
    }
    if (steps.some(({ does }) => does === "take out")) await act("put back", key);
    areAway = false;
    told.push(...send(now));
    await act("resume", key);
    await act("success", key);
    wait(now + SETTLED);
    return { told, takenOn };
  };
}

const isTroubleKind = (kind: AlertKind): boolean => kind !== "Recovered" && kind !== "Acknowledged";
const at = (told: readonly Told[], name: Name): Told[] => told.filter(({ to }) => to === name);
const PEOPLE = ["chat", "night", "boss", "late", "bob", "eve"] as const;
const PAGERS = ["pager", "nightPager", "latePager"] as const;
const HELD_BACK = ["boss", "nightPager", "latePager"] as const;

test("R36, R38: each trouble that was told ends once, no one is called for what is over, and the last word is true", async () => {
  using service = openService(telling(ALL));
  const play = createPlayer(service);
  let from = NOON;
  await fc.assert(
    fc.asyncProperty(stepsOf([...DOES, ...OUTAGES]), async (steps) => {
      from += WEEK;
      const { told, takenOn } = await play(steps, from);
      const story = (name: Name): string => storyAt(told, name);
      eachTroubleEnds(told);
      for (const name of HELD_BACK)
        for (const { kind, isOpen, isAcknowledged, incident } of at(told, name))
          if (kind === "InitialFailure" && !(name === "nightPager" && !isHeld(told, incident)))
            expect([story(name), isOpen, isAcknowledged]).toEqual([story(name), true, false]);
      if (!steps.some(({ does }) => does === "pause")) laterHearsInTime(service, told, takenOn);
      const edges = (name: Name, kind: AlertKind): number[] =>
        at(told, name).flatMap((one) => (one.kind === kind ? one.incident : []));
      for (const kind of ["InitialFailure", "Recovered"] as const)
        expect([story("hook"), edges("hook", kind)]).toEqual([story("hook"), edges("pager", kind)]);
    }),
    propertyRuns(40),
  );
}, 600_000);

test("R23: an acknowledgement that is taken back delays what is told to who hears later, and takes nothing away", async () => {
  using service = openService(telling(["pager", "latePager"]));
  const play = createPlayer(service);
  let from = NOON;
  await fc.assert(
    fc.asyncProperty(stepsOf(["acknowledge", "unacknowledge", "unacknowledge"], 9), async (steps) => {
      from += WEEK;
      const { told, takenOn } = await play(steps, from);
      eachTroubleEnds(told);
      laterHearsInTime(service, told, takenOn);
    }),
    propertyRuns(40),
  );
}, 600_000);

test("R38: who was taken out and put back hears of each end, of what stands, and of nothing twice", async () => {
  using service = openService(telling(ALL));
  const play = createPlayer(service);
  let from = NOON;
  await fc.assert(
    fc.asyncProperty(
      stepsOf(["acknowledge", "unacknowledge", "pause", "delete", ...CHANGES, ...OUTAGES], 9),
      async (steps) => {
        from += WEEK;
        const { told } = await play(steps, from);
        eachTroubleEnds(told);
        // What was tried where nobody answers arrives, though someone has taken it on by then.
        const hasOutage = steps.some(({ does }) => does === "go away");
        for (const name of hasOutage ? HELD_BACK : ([...HELD_BACK, "chat", "pager"] as const))
          for (const { kind, isAcknowledged } of at(told, name))
            if (kind === "InitialFailure")
              expect([storyAt(told, name), isAcknowledged]).toEqual([storyAt(told, name), false]);
        // At machines each opening comes once.
        for (const name of [...PAGERS, "hook"] as const) {
          const openings = at(told, name).flatMap(({ kind, incident }) => (kind === "InitialFailure" ? incident : []));
          expect([storyAt(told, name), openings.length]).toEqual([storyAt(told, name), new Set(openings).size]);
        }
      },
    ),
    propertyRuns(40),
  );
}, 600_000);

const storyAt = (told: readonly Told[], name: Name): string =>
  `${name}: ${at(told, name)
    .map(({ kind, incident, at }) => `${toIso(at).slice(11, 16)} ${kind} ${incident}`)
    .join(", ")}`;

/**
 * What stands so long is heard by who hears later: at once when it is due, or when the acknowledgement that stood then
 * is taken back.
 */
function laterHearsInTime(service: Service, told: readonly Told[], takenOn: readonly TakenOn[]): void {
  for (const { incident, at: openedAt } of at(told, "pager").filter(({ kind }) => kind === "InitialFailure")) {
    const due = openedAt + LATER.afterSeconds * 1_000;
    const spans = takenOn.filter((one) => one.incident === incident);
    const wanted = spans.find(({ from, to }) => from <= due && due < to)?.to ?? due;
    const { closedAt } = service.store.incidents.load(incident);
    if (wanted >= (closedAt ?? Number.POSITIVE_INFINITY)) continue;
    const heard = at(told, "latePager").find((one) => one.incident === incident)?.at ?? Number.POSITIVE_INFINITY;
    expect([storyAt(told, "latePager"), heard <= wanted]).toEqual([storyAt(told, "latePager"), true]);
  }
}

/** People hear no end of nothing, and last that the job is well; a pager hears the end of each incident it was told. */
function eachTroubleEnds(told: readonly Told[]): void {
  for (const name of PEOPLE) {
    const story = storyAt(told, name);
    const kinds = at(told, name).flatMap(({ kind }) => (kind === "Acknowledged" ? [] : kind));
    expect([story, kinds.at(-1) ?? "Recovered"]).toEqual([story, "Recovered"]);
    for (const [place, kind] of kinds.entries())
      if (kind === "Recovered") expect([story, isTroubleKind(kinds[place - 1] ?? kind)]).toEqual([story, true]);
  }
  for (const name of PAGERS) {
    const own = at(told, name);
    const ids = (of: (kind: AlertKind) => boolean): number[] => [
      ...new Set(own.flatMap(({ kind, incident }) => (of(kind) ? incident : []))),
    ];
    const ended = ids((kind) => kind === "Recovered").sort((a, b) => a - b);
    expect([storyAt(told, name), ended]).toEqual([storyAt(told, name), ids(isTroubleKind).sort((a, b) => a - b)]);
  }
}

/** Whether the pager without quiet hours heard it earlier than the one that has some. */
const isHeld = (told: readonly Told[], incident: number): boolean => {
  const first = (name: Name) => at(told, name).find((one) => one.incident === incident)?.at ?? 0;
  return first("nightPager") > first("pager");
};

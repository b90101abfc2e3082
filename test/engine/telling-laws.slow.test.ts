// Laws of who is told what (R36, R38), over real tables: a job does what it likes, people answer, pause, delete and
// make it again, and each destination has rules of its own. The notifier is asked each minute, and all that is due
// arrives. PROPERTY_RUNS tries more histories than a run of the tests does.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { AlertKind } from "../../src/domain/message/alert.ts";
import { isAlert } from "../../src/domain/message/message.ts";
import { parseQuiet } from "../../src/domain/settings/hearing.ts";
import type { DestinationRules } from "../../src/domain/settings/policy.ts";
import { DAY, HOUR, type Instant, MINUTE, toIso } from "../../src/domain/time.ts";
import type { Ending } from "../../src/engine/api.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { NOTHING_NEW } from "../support/alerts.ts";
import { MESSAGES } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { propertyRuns } from "../support/property-runs.ts";

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
} as const satisfies Record<string, DestinationRules>;

type Name = keyof typeof DESTINATIONS;

/** After so long a destination has heard all of a job that is well: quiet hours, its wait and the damping are over. */
const SETTLED = 4 * HOUR;

const DOES = ["fail", "success", "acknowledge", "resolve", "pause", "resume", "delete"] as const;
type Does = (typeof DOES)[number];

const STEPS = fc.array(
  fc.record({
    after: fc.integer({ min: 1, max: 45 }),
    does: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom<Does>("fail") },
      { weight: 4, arbitrary: fc.constantFrom<Does>("success") },
      { weight: 3, arbitrary: fc.constantFrom(...DOES) },
    ),
  }),
  { minLength: 3, maxLength: 14 },
);

interface Told {
  readonly to: Name;
  readonly at: Instant;
  readonly kind: AlertKind;
  readonly incident: number;
  /** As it stood when this was sent. */
  readonly isOpen: boolean;
  readonly isAcknowledged: boolean;
}

function createPlayer(service: Service) {
  const outbox = createOutbox(service.store.database, () => {});
  const wanted = { busy: new Set<string>(), limit: 16, each: 16, digests: new Map<string, number>(), ...NOTHING_NEW };

  function send(now: Instant): Told[] {
    const told: Told[] = [];
    for (let endings: Ending[] = []; ; ) {
      const { claimed } = outbox.exchange(endings, { ...wanted, now });
      if (claimed.length === 0) return told;
      endings = claimed.map(({ id }) => ({ id, ending: "sent", at: now, answer: "200" }));
      for (const { destination, message } of claimed) {
        if (!isAlert(message)) continue;
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
        return void (open && engine.operate("incident ack", open));
      case "resolve":
        return void (open && engine.operate("incident resolve", open));
      case "pause":
        return void engine.operate("monitor pause", { key });
      case "resume":
        return void engine.operate("monitor resume", { key });
      case "delete":
        return void engine.operate("monitor delete", { key });
      default:
        does satisfies never;
    }
  }

  return async (steps: readonly Readonly<{ after: number; does: Does }>[], key: string, from: Instant) => {
    const told: Told[] = [];
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
    await act("resume", key);
    await act("success", key);
    wait(now + SETTLED);
    return told;
  };
}

const isTroubleKind = (kind: AlertKind): boolean => kind !== "Recovered" && kind !== "Acknowledged";
const at = (told: readonly Told[], name: Name): Told[] => told.filter(({ to }) => to === name);
const PEOPLE = ["chat", "night", "boss", "late"] as const;
const PAGERS = ["pager", "nightPager", "latePager"] as const;
const HELD_BACK = ["boss", "nightPager", "latePager"] as const;

test("R36, R38: each trouble that was told ends once, no one is called for what is over, and the last word is true", async () => {
  const team = { name: null, destinations: Object.keys(DESTINATIONS), members: [] };
  using service = openService(policyWith({ destinations: new Map(Object.entries(DESTINATIONS)), team }));
  const play = createPlayer(service);
  let from = NOON;
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      from += 2 * DAY;
      const key = `job-${from}`;
      service.at(from);
      await service.send(ping({ monitorKey: key, schedule: "0 0 29 2 *" }));
      const told = await play(steps, key, from);
      const story = (name: Name): string =>
        `${name}: ${at(told, name)
          .map(({ kind, incident, at }) => `${toIso(at).slice(11, 16)} ${kind} ${incident}`)
          .join(", ")}`;
      for (const name of PEOPLE) {
        const kinds = at(told, name).flatMap(({ kind }) => (kind === "Acknowledged" ? [] : kind));
        expect([story(name), kinds.at(-1) ?? "Recovered"]).toEqual([story(name), "Recovered"]);
        for (const [place, kind] of kinds.entries())
          if (kind === "Recovered")
            expect([story(name), isTroubleKind(kinds[place - 1] ?? kind)]).toEqual([story(name), true]);
      }
      for (const name of PAGERS) {
        const own = at(told, name);
        const ids = (of: (kind: AlertKind) => boolean): number[] => [
          ...new Set(own.flatMap(({ kind, incident }) => (of(kind) ? incident : []))),
        ];
        expect([story(name), ids((kind) => kind === "Recovered")]).toEqual([story(name), ids(isTroubleKind)]);
      }
      for (const name of HELD_BACK)
        for (const { kind, isOpen, isAcknowledged, incident } of at(told, name))
          if (kind === "InitialFailure" && !(name === "nightPager" && !isHeld(told, incident)))
            expect([story(name), isOpen, isAcknowledged]).toEqual([story(name), true, false]);
      // Who hears later, and a person has paused nothing: what stood for so long is heard, and at once when it is due.
      if (!steps.some(({ does }) => does === "pause"))
        for (const { incident, at: openedAt } of at(told, "pager").filter(({ kind }) => kind === "InitialFailure")) {
          const { closedAt, acknowledgedAt } = service.store.incidents.load(incident);
          const due = openedAt + LATER.afterSeconds * 1_000;
          const isWanted = Math.min(closedAt ?? due + 1, acknowledgedAt ?? due + 1) > due;
          const heard = at(told, "latePager").find((one) => one.incident === incident)?.at ?? null;
          if (isWanted)
            expect([story("latePager"), heard !== null && heard <= due]).toEqual([story("latePager"), true]);
        }
      const edges = (name: Name, kind: AlertKind): number[] =>
        at(told, name).flatMap((one) => (one.kind === kind ? one.incident : []));
      for (const kind of ["InitialFailure", "Recovered"] as const)
        expect([story("hook"), edges("hook", kind)]).toEqual([story("hook"), edges("pager", kind)]);
    }),
    propertyRuns(40),
  );
}, 600_000);

/** Whether the pager without quiet hours heard it earlier than the one that has some. */
const isHeld = (told: readonly Told[], incident: number): boolean => {
  const first = (name: Name) => at(told, name).find((one) => one.incident === incident)?.at ?? 0;
  return first("nightPager") > first("pager");
};

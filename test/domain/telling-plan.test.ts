// Laws of the second decision (R36, R38), on random lanes: what `plan` says of the messages that wait for one receiver.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { tellsOfTrouble } from "../../src/domain/message/alert.ts";
import { parseQuiet } from "../../src/domain/telling/hearing.ts";
import type { KnownTrouble, Lane, LaneMessage, ReceiverRules, Standing } from "../../src/domain/telling/lane.ts";
import { NOT_STORED, toldAfter } from "../../src/domain/telling/lane.ts";
import { isPlanToSend, type MessagePlan, plan, planAtOnce } from "../../src/domain/telling/plan.ts";
import { HOUR, type Instant, MINUTE } from "../../src/domain/time.ts";
import { propertyRuns } from "../support/property-runs.ts";

const NOON: Instant = Date.UTC(2026, 2, 2, 12);

const rules: fc.Arbitrary<ReceiverRules> = fc
  .record({
    receiverKind: fc.constantFrom("people", "pager", "log"),
    wantsOpenings: fc.boolean(),
    isQuiet: fc.boolean(),
    isUrgent: fc.boolean(),
    isLater: fc.boolean(),
  })
  .map(({ receiverKind, wantsOpenings, isQuiet, isUrgent, isLater }) => ({
    receiverKind,
    wantsOpenings,
    timezone: "UTC",
    hearing: () => ({
      ...(isQuiet && { quiet: [parseQuiet("12:00-13:30")!] }),
      ...(isUrgent && { urgent: "critical" as const }),
      ...(isLater && { afterSeconds: 1_200 }),
    }),
  }));

/** One message of a lane, as it comes: an incident opens, has a new cause, is acknowledged, or ends. */
const message = fc.record({
  kind: fc.constantFrom("InitialFailure", "ContinuedFailure", "Acknowledged", "Recovered"),
  cause: fc.constantFrom("failed", "missed"),
  severity: fc.constantFrom("critical", "error", "warning"),
  minutes: fc.integer({ min: 0, max: 20 }),
  isOfSeries: fc.boolean(),
  isTried: fc.constantFrom(false, false, false, true),
});

/** A lane whose incidents follow one another, and how the job stands. */
const lanes = fc
  .record({
    messages: fc.array(message, { minLength: 1, maxLength: 6 }),
    isTold: fc.boolean(),
    isNewcomer: fc.boolean(),
    isQuiet: fc.boolean(),
  })
  .map(({ messages, isTold, isNewcomer, isQuiet }) => {
    let incident = 1;
    let written = NOON;
    // A newcomer was told nothing of what is open already.
    let isOpen = isTold || isNewcomer;
    let isAcknowledged = false;
    let since = NOON;
    let isFirst = true;
    const waiting = messages.flatMap(({ kind, cause, severity, minutes, isOfSeries, isTried }, nth): LaneMessage[] => {
      if (isOpen === (kind === "InitialFailure")) return [];
      written += minutes * MINUTE;
      if (kind === "InitialFailure") {
        incident += 1;
        since = written;
        isAcknowledged = false;
      }
      if (kind === "Acknowledged") isAcknowledged = true;
      isOpen = kind !== "Recovered";
      const reason = kind === "ContinuedFailure" ? "new_cause" : kind === "Recovered" ? "success" : "opened";
      const isSeries = kind === "Recovered" && isOfSeries;
      const own = {
        kind,
        reason,
        causes: [cause],
        severity,
        at: written,
        written,
        from: written,
        isOfSeries: isSeries,
      } as const;
      const tried = isFirst && isTried ? { isTried: true, due: written } : {};
      isFirst = false;
      return [{ ...NOT_STORED, id: nth + 10, incident, via: null, ...own, ...tried }];
    });
    const told: KnownTrouble | null = isTold
      ? { by: 1, incident: 1, causes: ["failed"], severity: "error", at: 0, state: "sent" }
      : null;
    const lane: Lane = { told, waiting, isOtherTurnTold: false };
    const standing: Standing = {
      open: isOpen ? { incident, since, acknowledged: isAcknowledged ? { by: "Ada" } : null } : null,
      isQuietByHand: isQuiet,
    };
    return { lane, standing, now: written };
  });

/** What waits once a plan is stored. */
function stored(lane: Lane, plans: readonly MessagePlan[]): Lane {
  const waiting = lane.waiting.flatMap((one, nth): LaneMessage[] => {
    const own = plans[nth]!;
    return isPlanToSend(own) ? [{ ...one, due: own.due, isHeldByPause: own.due === null }] : [];
  });
  return { ...lane, waiting };
}

const hasComeDue = ({ isTried, due }: LaneMessage, now: Instant): boolean => isTried || (due !== null && due <= now);

const kept = (plans: readonly MessagePlan[]) => plans.filter(isPlanToSend);

test("R38: asked twice, a plan says the same, and what has come due changes no more", () => {
  fc.assert(
    fc.property(lanes, rules, fc.integer({ min: 0, max: 180 }), ({ lane, standing, now }, receiver, minutes) => {
      const first = plan(lane, standing, receiver, now);
      const once = stored(lane, first);
      expect(kept(plan(once, standing, receiver, now)).map(({ due }) => due)).toEqual(
        kept(first).map(({ due }) => due),
      );
      const later = now + minutes * MINUTE;
      const again = plan(once, standing, receiver, later);
      for (const [nth, one] of once.waiting.entries())
        if (hasComeDue(one, later)) expect(again[nth]).toMatchObject({ due: one.due });
    }),
    propertyRuns(300),
  );
});

test("R38: an opening that waits for nothing is due at once, as its plan says, however its job stands", () => {
  const kinds = fc.constantFrom("InitialFailure", "NeverExecuted", "ContinuedFailure", "Acknowledged", "Recovered");
  const seen = { atOnce: 0, planned: 0 };
  fc.assert(
    fc.property(lanes, rules, kinds, fc.boolean(), ({ lane, standing, now }, receiver, kind, isEmpty) => {
      const before: Lane = isEmpty ? { ...lane, waiting: [] } : lane;
      const said = planAtOnce(before, kind, receiver.hearing(null), now);
      seen[said === null ? "planned" : "atOnce"] += 1;
      if (said === null) return;
      const opening: LaneMessage = {
        ...{ ...NOT_STORED, incident: standing.open?.incident ?? 9, kind, reason: "opened", causes: ["failed"] },
        ...{ severity: "error", at: now, written: now, from: now, isOfSeries: false, via: null },
      };
      const all = [...before.waiting, opening];
      expect(plan({ ...before, waiting: all }, standing, receiver, now)).toEqual([said]);
    }),
    propertyRuns(500),
  );
  expect(seen.atOnce).toBeGreaterThan(20);
  expect(seen.planned).toBeGreaterThan(20);
});

test("R38: each message gets one plan, and none is due before what stands before it or before it was written", () => {
  fc.assert(
    fc.property(lanes, rules, ({ lane, standing, now }, receiver) => {
      const plans = plan(lane, standing, receiver, now);
      expect(plans).toHaveLength(lane.waiting.length);
      let last = Number.NEGATIVE_INFINITY;
      for (const [nth, own] of plans.entries()) {
        if (!isPlanToSend(own)) continue;
        const due = own.due ?? Number.POSITIVE_INFINITY;
        expect(due).toBeGreaterThanOrEqual(last);
        expect(due).toBeGreaterThanOrEqual(lane.waiting[nth]!.written);
        last = due;
      }
    }),
    propertyRuns(300),
  );
});

test("R36, R38: trouble that is told ends once, no end comes without it, and logs hear every edge", () => {
  fc.assert(
    fc.property(lanes, rules, ({ lane, standing, now }, receiver) => {
      const plans = plan(lane, standing, receiver, now);
      const isLog = receiver.receiverKind === "log" && receiver.hearing(null).afterSeconds === undefined;
      if (isLog) expect(kept(plans)).toHaveLength(plans.length);
      let told = lane.told;
      for (const [nth, one] of lane.waiting.entries()) {
        if (!isPlanToSend(plans[nth]!)) continue;
        if (
          receiver.receiverKind === "people" &&
          receiver.wantsOpenings &&
          one.kind === "Recovered" &&
          !hasComeDue(one, now)
        )
          expect(told).not.toBeNull();
        told = toldAfter(told, one, "sent");
      }
      // Who knows of trouble that is over is about to hear of its end, or heard of it before it was due.
      if (
        standing.open === null &&
        receiver.receiverKind === "people" &&
        receiver.wantsOpenings &&
        lane.waiting.at(-1)?.kind === "Recovered"
      )
        expect(told).toBeNull();
    }),
    propertyRuns(300),
  );
});

test("R38: no pager is called for what was acknowledged or over before it came due", () => {
  fc.assert(
    fc.property(lanes, rules, ({ lane, standing, now }, receiver) => {
      for (const [nth, own] of plan(lane, standing, receiver, now).entries()) {
        const one = lane.waiting[nth]!;
        if (
          receiver.receiverKind !== "pager" ||
          !isPlanToSend(own) ||
          !tellsOfTrouble(one.kind) ||
          hasComeDue(one, now)
        )
          continue;
        if (own.why !== "quiet" && own.why !== "after") continue;
        expect(standing.open?.incident).toBe(one.incident!);
        expect(standing.open?.acknowledged).toBeNull();
      }
    }),
    propertyRuns(300),
  );
});

test("R38: quiet hours and `after` hold for as long as they say, and no longer", () => {
  const hearing = { quiet: [parseQuiet("12:00-13:30")!], afterSeconds: 1_200 };
  const boss: ReceiverRules = { receiverKind: "people", wantsOpenings: true, timezone: "UTC", hearing: () => hearing };
  const opening: LaneMessage = {
    ...{ ...NOT_STORED, id: 5, incident: 2, kind: "InitialFailure", reason: "opened", causes: ["failed"] },
    ...{ severity: "error", at: NOON, written: NOON, from: NOON, isOfSeries: false, via: null },
  };
  const lane: Lane = { told: null, waiting: [opening], isOtherTurnTold: false };
  const open = { incident: 2, since: NOON, acknowledged: null };
  const said = (standing: Standing) => plan(lane, standing, boss, NOON)[0];
  expect(said({ open, isQuietByHand: false })).toEqual({ due: NOON + 1.5 * HOUR, why: "quiet" });
  expect(said({ open, isQuietByHand: true })).toEqual({ due: null, why: "paused" });
  expect(said({ open: { ...open, acknowledged: { by: "Ada" } }, isQuietByHand: false })).toEqual({
    notSent: "acknowledged",
    by: "Ada",
    knownBy: null,
  });
  expect(said({ open: null, isQuietByHand: true })).toEqual({ notSent: "over", knownBy: null });
});

test("R38: people hear of a job that fails again and again once it is well, and of what is urgent with its trouble", () => {
  const at = (message: Partial<LaneMessage>): LaneMessage => ({
    ...{ ...NOT_STORED, id: 5, incident: 2, kind: "InitialFailure", reason: "opened", causes: ["failed"] },
    ...{ severity: "error", at: NOON, written: NOON, from: NOON, isOfSeries: false, via: null },
    ...message,
  });
  const hearing = { quiet: [parseQuiet("12:00-13:30")!], urgent: "critical" } as const;
  const said = (hears: ReturnType<ReceiverRules["hearing"]>, told: KnownTrouble | null, ...waiting: LaneMessage[]) =>
    plan(
      { told, waiting, isOtherTurnTold: false },
      { open: null, isQuietByHand: false },
      { receiverKind: "people", wantsOpenings: true, timezone: "UTC", hearing: () => hears },
      NOON,
    );
  const told: KnownTrouble = { by: 1, incident: 2, causes: ["failed"], severity: "error", at: 0, state: "sent" };
  const end = at({ kind: "Recovered", reason: "success", isOfSeries: true });
  expect(said({}, told, end)).toEqual([{ due: NOON + 15 * MINUTE, why: "well" }]);
  const urgent = at({ id: 6, kind: "Recovered", reason: "success", severity: "critical" });
  expect(said(hearing, null, at({}), urgent)).toEqual([
    { due: NOON, why: "now" },
    { due: NOON, why: "now" },
  ]);
});

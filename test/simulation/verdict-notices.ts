// The verdict on notices: what a gap left unknown is told once to each receiver, complete and exact, when all is judged
// or about a day after the first was; another names reports that the rate limit refused, with every failure among them
// (R26, R33).

import type { ClaimedDelivery } from "../../src/engine/api.ts";
import { Contradiction } from "./failure.ts";
import type { Reception } from "./receivers.ts";
import type { ExpectedUnknown, KnownGap } from "./rules-words.ts";
import { HOUR, type Instant, iso, MINUTE, SECOND } from "./units.ts";
import type { Route } from "./verdict-deliveries.ts";
import type { MonitorVerdict } from "./verdict-monitor.ts";
import { unusualVerdict } from "./verdict-unusual.ts";

export type NoticeDetails = Extract<ClaimedDelivery["message"], { type: "service.notice" }>["data"]["notice"];
type UnheardDetails = Extract<NoticeDetails, { kind: "unheard" }>;
type Listed = UnheardDetails["monitors"][number];
type RefusedDetails = Extract<NoticeDetails, { kind: "refused" }>;

export interface NoticeVerdict {
  unknown(monitor: MonitorVerdict, routes: readonly Route[], unknown: ExpectedUnknown): void;
  /** Whether it repeats one of its minute. */
  refused(key: string, routes: readonly Route[], kind: string, at: Instant): boolean;
  /** A report was taken; a failure tells of those that were refused before it. */
  reported(key: string, kind: string, at: Instant): void;
  /** A notice of this time has arrived that is no copy; a wrong clock's time has been pulled back. */
  received(reception: Reception, notice: NoticeDetails, at: Instant): void;
  /** The clock had been wrong: what was judged at a later time than `now` was judged by now. */
  pulledBack(now: Instant): void;
  /** `isOpen`: whether something that a gap touches is still to be judged, or may be. `now`: on the wall clock. */
  finish(isOpen: (gap: KnownGap) => boolean, now: Instant): void;
  /** As `MonitorRules.keep`, of a backup that knows deliveries up to this number. */
  keep(lastDelivery: number): (now: Instant) => void;
  counts(): { readonly unknowns: number; readonly notices: number };
}

interface Unheard {
  readonly gap: KnownGap;
  readonly monitors: Map<string, Concerned>;
  /** When a notice told of it, and when the first that it told was judged. */
  readonly notices: { readonly at: Instant; readonly since: Instant }[];
}

interface Concerned {
  readonly monitor: MonitorVerdict;
  readonly routes: readonly Route[];
  readonly unknown: UnknownThing[];
}

interface UnknownThing {
  readonly before: readonly KnownGap[];
  /** Null: a run. */
  readonly slot: Instant | null;
  at: Instant;
  /** As `at`, by the clock of then: rollcall counts the day after which it waits no longer from it. */
  readonly judgedAt: Instant;
  readonly notifiedTo: Set<string>;
}

const NOT_CONCERNED = { monitor: null, routes: [], unknown: [] };

/** R26: so long after the first was judged the notice waits for the slowest no longer. */
const WAITS = 25 * HOUR;
/** What is judged in the seconds in which a notice is written may be in it or in the next. */
const WRITES = 3 * SECOND;
const SOON = 10 * MINUTE;

interface RateLimited {
  readonly routes: readonly Route[];
  /** When something was refused, and when a failure was. */
  readonly refused: Set<Instant>;
  readonly failing: Set<Instant>;
  /** Which of them each route was told of, by which delivery. */
  readonly told: { readonly id: number; readonly to: string; readonly at: Instant; readonly isFail: boolean }[];
}

/** `isLate`: no rules tell what of this monitor is unknown, because its reports come late. */
export function noticeVerdict(gaps: readonly KnownGap[], isLate: (key: string) => boolean): NoticeVerdict {
  /** By the beginning of the gap. */
  const unheard = new Map<Instant, Unheard>();
  const refused = new Map<string, RateLimited>();
  const failedAt = new Map<string, Instant>();
  const unusual = unusualVerdict();
  let unknowns = 0;
  let notices = 0;

  function unknown(
    monitor: MonitorVerdict,
    routes: readonly Route[],
    { gap, before, slot, at }: ExpectedUnknown,
  ): void {
    if (gap === null) return;
    unknowns += 1;
    const left = leftBy(gap);
    if (left.notices.some((told) => told.at + WRITES < at && told.at < told.since + WAITS)) {
      throw monitor.contradiction("a gap was told of before its last unknown was judged", { gap: iso(gap.from), slot });
    }
    concernedBy(left, monitor, routes).unknown.push({ before, slot, at, judgedAt: at, notifiedTo: new Set() });
  }

  function leftBy(gap: KnownGap): Unheard {
    const left: Unheard = unheard.get(gap.from) ?? { gap, monitors: new Map(), notices: [] };
    unheard.set(gap.from, left);
    return left;
  }

  function concernedBy({ monitors }: Unheard, monitor: MonitorVerdict, routes: readonly Route[]): Concerned {
    const concerned: Concerned = monitors.get(monitor.key) ?? { monitor, routes, unknown: [] };
    monitors.set(monitor.key, concerned);
    return concerned;
  }

  /**
   * While storage fails off and on, a slot may be judged before a later gap is long enough to doubt it; the rules look
   * once storage works. Then a gap before has left it, and the notice about that tells it.
   */
  function judgedEarlier(from: Instant, said: Listed, isPending: (one: UnknownThing) => boolean): void {
    const known = unheard.get(from)?.monitors.get(said.monitorKey)?.unknown.filter(isPending) ?? [];
    if (isWhat(known, said)) return;
    for (const { monitors } of unheard.values()) {
      const { monitor, routes, unknown: all } = monitors.get(said.monitorKey) ?? NOT_CONCERNED;
      const moved = all.filter((one) => isPending(one) && one.before.some((gap) => gap.from === from));
      if (moved.length === 0 || !isWhat([...known, ...moved], said)) continue;
      all.splice(0, all.length, ...all.filter((one) => !moved.includes(one)));
      const gap = moved[0]!.before.find((earlier) => earlier.from === from)!;
      concernedBy(leftBy(gap), monitor!, routes).unknown.push(...moved);
      return;
    }
  }

  /** Unless rollcall could not hear as it was due, or all was judged, it was told when it was due. */
  function checkTime(from: Instant, at: Instant, since: Instant): void {
    const due = since + WAITS;
    if (at <= due + SOON || gaps.some((gap) => gap.from <= at && gap.to >= due - SOON)) return;
    throw about("what a gap left unknown was told late", from, { judgedAt: iso(since), toldAt: iso(at) });
  }

  function receivedUnheard({ receiver, recipient }: Reception, notice: UnheardDetails, at: Instant): void {
    const from = Date.parse(notice.from);
    const name = `${receiver} ${recipient}`;
    for (const said of notice.monitors) judgedEarlier(from, said, ({ notifiedTo }) => !notifiedTo.has(name));
    const left = unheard.get(from);
    const listed = new Map(
      notice.monitors.filter(({ monitorKey }) => !isLate(monitorKey)).map((monitor) => [monitor.monitorKey, monitor]),
    );
    const isAlso = notice.monitors.length > listed.size;
    if (left === undefined && isAlso && listed.size === 0) return;
    if (left === undefined) throw about("a notice about a gap that left nothing unknown", from, { notice });
    let since = at;
    for (const [key, { monitor, routes, unknown: all }] of left.monitors) {
      if (!routes.some((route) => route.receiver === receiver)) continue;
      // A gap of a wrong clock is told when that is set right: before the time at which it was judged.
      const untold = all.filter((one) => (one.at <= at || from > at) && !one.notifiedTo.has(name));
      const surely = untold.filter((one) => one.at + WRITES <= at || from > at);
      const said = listed.get(key);
      const told = said === undefined ? surely : isWhat(untold, said) ? untold : surely;
      if (told.length === 0) continue;
      listed.delete(key);
      for (const one of told) one.notifiedTo.add(name);
      // Of one whose incident is open people know already.
      const had = monitor.hadIncidentAt(at);
      if (had === true) continue;
      since = Math.min(since, ...told.map((one) => one.at));
      // It may have been open when a notice was due that had nothing else to tell.
      const mayHaveHad = had === null || (told[0]!.at + WAITS <= at && monitor.hadIncidentSince(told[0]!.at));
      if (said === undefined ? mayHaveHad : isWhat(told, said)) continue;
      const details = { gap: iso(from), said, unknown: told.map(({ slot }) => (slot === null ? "run" : iso(slot))) };
      throw monitor.contradiction("a notice does not say what is unknown", details);
    }
    if (listed.size > 0)
      throw about("a notice names others than are concerned, or again", from, { name, others: [...listed.keys()] });
    if (!isAlso) checkTime(from, at, since);
    // What was unknown of the others first may have been due to be told.
    left.notices.push({ at, since: isAlso ? Number.NEGATIVE_INFINITY : since });
  }

  function pulledBack(now: Instant): void {
    unusual.forget(now);
    const concerned = [...unheard.values()].flatMap(({ monitors }) => [...monitors.values()]);
    for (const { unknown: all } of concerned) for (const one of all) one.at = Math.min(one.at, now);
  }

  function refuse(key: string, routes: readonly Route[], kind: string, at: Instant): boolean {
    const known: RateLimited = refused.get(key) ?? { routes, refused: new Set(), failing: new Set(), told: [] };
    refused.set(key, known);
    const minute = Math.floor(at / MINUTE);
    const repeats = [...known.refused].some((one) => Math.floor(one / MINUTE) === minute);
    known.refused.add(at);
    if (kind === "fail") known.failing.add(at);
    return repeats;
  }

  function receivedRefused({ receiver, recipient, delivery: { id } }: Reception, notice: RefusedDetails): void {
    for (const { monitorKey, refused: its } of notice.monitors) {
      const known = refused.get(monitorKey);
      for (const said of its.filter(({ error }) => error === "RATE_LIMIT_EXCEEDED")) {
        const isFail = said.report === "fail";
        const at = Date.parse(said.at);
        if (known === undefined || !(isFail ? known.failing : known.refused).has(at))
          throw new Contradiction("a notice about a report nobody refused", monitorKey, { notice }, []);
        known.told.push({ id, to: `${receiver} ${recipient}`, at, isFail });
      }
    }
  }

  function finish(isOpen: (gap: KnownGap) => boolean, now: Instant): void {
    for (const [from, { gap, monitors }] of unheard) {
      const isDue = isOpen(gap) ? (one: UnknownThing) => one.judgedAt + WAITS + SOON <= now : () => true;
      for (const [key, { monitor, routes, unknown: all }] of monitors) {
        if (monitor.hadIncidentSince(gap.from)) continue;
        const missing = routes.find(({ receiver, recipient }) =>
          all.some((one) => isDue(one) && !one.notifiedTo.has(`${receiver} ${recipient}`)),
        );
        if (missing !== undefined) throw about("what a gap left unknown was never told", from, { key, missing });
      }
    }
    for (const [key, { routes, refused: all, failing, told }] of refused) {
      for (const { receiver, recipient } of routes) {
        const newest = (isFail: boolean): Instant =>
          Math.max(
            ...told.filter((one) => one.to === `${receiver} ${recipient}` && one.isFail === isFail).map(({ at }) => at),
          );
        // A failure that was taken since, as when its client sends it again, is told by its incident (R33).
        const takenAt = failedAt.get(key) ?? Number.NEGATIVE_INFINITY;
        const untold = isLate(key) ? [] : [...failing].filter((at) => at > takenAt && at - MINUTE > newest(true));
        const others = [...all].filter((at) => !failing.has(at) && at - MINUTE > newest(false));
        if (untold.length + others.length === 0) continue;
        const details = { receiver, recipient, failing: untold.map(iso), others: others.map(iso) };
        throw new Contradiction("refused reports were not told as they were", key, details, []);
      }
    }
  }

  function keep(lastDelivery: number): (now: Instant) => void {
    const left = new Set(unheard.keys());
    const kept = [...refused].map(([key, { refused: all, failing }]) => [key, [...all], [...failing]] as const);
    return (now) => {
      unusual.forget(now);
      for (const from of unheard.keys()) if (!left.has(from)) unheard.delete(from);
      for (const known of refused.values()) {
        known.refused.clear();
        known.failing.clear();
        // What the backup knows to be told, or is yet to tell, is not told again.
        known.told.splice(0, known.told.length, ...known.told.filter(({ id }) => id <= lastDelivery));
      }
      for (const [key, all, failing] of kept) {
        for (const at of all) refused.get(key)!.refused.add(at);
        for (const at of failing) refused.get(key)!.failing.add(at);
      }
    };
  }

  return {
    keep,
    unknown,
    pulledBack,
    refused: refuse,
    reported: (key, kind, at) => {
      if (kind === "fail") failedAt.set(key, at);
      unusual.reported(key, at);
    },
    received: (reception, notice, at) => {
      notices += 1;
      if (notice.kind === "unheard") receivedUnheard(reception, notice, at);
      if (notice.kind === "refused") receivedRefused(reception, notice);
      if (notice.kind === "unusual") unusual.received(reception, notice, at);
    },
    finish,
    counts: () => ({ unknowns, notices }),
  };
}

function isWhat(unknown: readonly UnknownThing[], said: Listed): boolean {
  const slots = unknown.flatMap(({ slot }) => (slot === null ? [] : [slot]));
  const first = slots.length === 0 ? null : iso(Math.min(...slots));
  return (
    said.firstSlot === first && said.runsTotal === unknown.length - slots.length && said.slotsTotal === slots.length
  );
}

const about = (what: string, from: Instant, details: Record<string, unknown>): Contradiction =>
  new Contradiction(what, `the gap from ${iso(from)}`, details, []);

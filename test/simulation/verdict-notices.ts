// The verdict on notices: one notice for each receiver and gap lists what the gap left unknown, complete and exact;
// another names reports that the rate limit refused, with every failure among them (R26, R33).

import type { ClaimedDelivery } from "../../src/engine/api.ts";
import { Contradiction } from "./failure.ts";
import type { Reception } from "./receivers.ts";
import type { ExpectedUnknown, KnownGap } from "./rules-words.ts";
import { type Instant, iso, MINUTE } from "./units.ts";
import type { Route } from "./verdict-deliveries.ts";
import type { MonitorVerdict } from "./verdict-monitor.ts";

export type NoticeDetails = Extract<ClaimedDelivery["message"], { type: "service.notice" }>["data"]["notice"];
type UnheardDetails = Extract<NoticeDetails, { kind: "unheard" }>;
type Listed = UnheardDetails["monitors"][number];
type RateLimitedDetails = Extract<NoticeDetails, { kind: "refused" }>;

export interface NoticeVerdict {
  unknown(monitor: MonitorVerdict, routes: readonly Route[], unknown: ExpectedUnknown): void;
  /** Whether it repeats one of its minute. */
  refused(key: string, routes: readonly Route[], kind: string, at: Instant): boolean;
  /** A notice has arrived that is no copy. */
  received(reception: Reception, notice: NoticeDetails): void;
  /** `isOpen`: whether something that a gap touches is still to be judged. */
  finish(isOpen: (gap: KnownGap) => boolean): void;
  /** As `MonitorRules.keep`, of a backup that knows deliveries up to this number. */
  keep(lastDelivery: number): () => void;
  counts(): { readonly unknowns: number; readonly notices: number };
}

interface Unheard {
  readonly gap: KnownGap;
  readonly monitors: Map<string, Concerned>;
  readonly toldTo: Set<string>;
}

interface Concerned {
  readonly monitor: MonitorVerdict;
  readonly routes: readonly Route[];
  readonly slots: Instant[];
  runs: number;
}

interface RateLimited {
  readonly routes: readonly Route[];
  /** Minutes of the wall clock in which something was refused, and those in which a failure was. */
  readonly minutes: Set<number>;
  readonly failing: Set<number>;
  /** What each route was told of, by which delivery. */
  readonly told: { readonly id: number; readonly to: string; readonly minutes: number; readonly fails: number }[];
}

export function noticeVerdict(): NoticeVerdict {
  /** By the beginning of the gap. */
  const unheard = new Map<Instant, Unheard>();
  const refused = new Map<string, RateLimited>();
  let unknowns = 0;
  let notices = 0;

  function unknown(monitor: MonitorVerdict, routes: readonly Route[], { gap, slot }: ExpectedUnknown): void {
    if (gap === null) return;
    unknowns += 1;
    const left = unheard.get(gap.from) ?? { gap, monitors: new Map(), toldTo: new Set() };
    unheard.set(gap.from, left);
    if (left.toldTo.size > 0) {
      throw monitor.contradiction("a gap was told of before its last unknown was judged", { gap: iso(gap.from), slot });
    }
    const concerned = left.monitors.get(monitor.key) ?? { monitor, routes, slots: [], runs: 0 };
    left.monitors.set(monitor.key, concerned);
    if (slot === null) concerned.runs += 1;
    else concerned.slots.push(slot);
  }

  function receivedUnheard({ receiver, recipient, delivery }: Reception, notice: UnheardDetails): void {
    const from = Date.parse(notice.from);
    const left = unheard.get(from);
    const name = `${receiver} ${recipient}`;
    if (left === undefined) throw about("a notice about a gap that left nothing unknown", from, { notice });
    if (left.toldTo.has(name)) throw about("a gap was told of twice", from, { name, notice });
    left.toldTo.add(name);
    const listed = new Map(notice.monitors.map((monitor) => [monitor.monitorKey, monitor]));
    for (const [key, concerned] of left.monitors) {
      if (!concerned.routes.some((route) => route.receiver === receiver)) continue;
      // Of one whose incident is open people know already.
      const had = concerned.monitor.hadIncidentAt(delivery.message.at);
      if (had === true) continue;
      const said = listed.get(key);
      listed.delete(key);
      if (had === null && said === undefined) continue;
      if (said !== undefined && isComplete(concerned, said)) continue;
      const slots = concerned.slots.map(iso);
      const details = { gap: iso(from), said, slots, runs: concerned.runs };
      throw concerned.monitor.contradiction("a notice does not say what is unknown", details);
    }
    if (listed.size > 0)
      throw about("a notice names others than are concerned", from, { name, others: [...listed.keys()] });
  }

  function refuse(key: string, routes: readonly Route[], kind: string, at: Instant): boolean {
    const known: RateLimited = refused.get(key) ?? { routes, minutes: new Set(), failing: new Set(), told: [] };
    refused.set(key, known);
    const minute = Math.floor(at / MINUTE);
    const before = known.minutes.size + known.failing.size;
    known.minutes.add(minute);
    if (kind === "fail") known.failing.add(minute);
    return known.minutes.size + known.failing.size === before;
  }

  function receivedRefused({ receiver, recipient, delivery: { id } }: Reception, notice: RateLimitedDetails): void {
    for (const { monitorKey, minutes, failsTotal } of notice.monitors) {
      const known = refused.get(monitorKey);
      if (known === undefined)
        throw new Contradiction("a notice about a monitor nobody refused", monitorKey, { notice }, []);
      known.told.push({ id, to: `${receiver} ${recipient}`, minutes, fails: failsTotal });
    }
  }

  function finish(isOpen: (gap: KnownGap) => boolean): void {
    for (const [from, { gap, monitors, toldTo }] of unheard) {
      if (isOpen(gap)) continue;
      for (const [key, { monitor, routes }] of monitors) {
        if (monitor.hadIncidentSince(gap.from)) continue;
        const missing = routes.find(({ receiver, recipient }) => !toldTo.has(`${receiver} ${recipient}`));
        if (missing !== undefined) throw about("what a gap left unknown was never told", from, { key, missing });
      }
    }
    for (const [key, { routes, minutes, failing, told }] of refused) {
      for (const { receiver, recipient } of routes) {
        const mine = told.filter(({ to }) => to === `${receiver} ${recipient}`);
        const heard = {
          minutes: mine.reduce((sum, { minutes: some }) => sum + some, 0),
          fails: mine.reduce((sum, { fails }) => sum + fails, 0),
        };
        // A minute that was told already is told again when a failure is refused in it.
        const again = heard.minutes - minutes.size;
        if (again >= 0 && again <= failing.size && heard.fails === failing.size) continue;
        const at = [...minutes].map((minute) => iso(minute * MINUTE));
        const expected = { minutes: minutes.size, fails: failing.size, at };
        throw new Contradiction(
          "refused reports were not told as they were",
          key,
          { receiver, recipient, heard, expected },
          [],
        );
      }
    }
  }

  function keep(lastDelivery: number): () => void {
    const left = new Set(unheard.keys());
    const kept = [...refused].map(([key, { minutes, failing }]) => [key, new Set(minutes), new Set(failing)] as const);
    return () => {
      for (const from of unheard.keys()) if (!left.has(from)) unheard.delete(from);
      for (const known of refused.values()) {
        known.minutes.clear();
        known.failing.clear();
        // What the backup knows to be told, or is yet to tell, is not told again.
        known.told.splice(0, known.told.length, ...known.told.filter(({ id }) => id <= lastDelivery));
      }
      for (const [key, minutes, failing] of kept) {
        for (const minute of minutes) refused.get(key)!.minutes.add(minute);
        for (const minute of failing) refused.get(key)!.failing.add(minute);
      }
    };
  }

  return {
    keep,
    unknown,
    refused: refuse,
    received: (reception, notice) => {
      notices += 1;
      if (notice.kind === "unheard") receivedUnheard(reception, notice);
      if (notice.kind === "refused") receivedRefused(reception, notice);
    },
    finish,
    counts: () => ({ unknowns, notices }),
  };
}

function isComplete({ slots, runs }: Concerned, said: Listed): boolean {
  const first = slots.length === 0 ? null : iso(Math.min(...slots));
  return said.firstSlot === first && said.runsTotal === runs && said.slotsTotal === slots.length;
}

const about = (what: string, from: Instant, details: Record<string, unknown>): Contradiction =>
  new Contradiction(what, `the gap from ${iso(from)}`, details, []);

// The verdict on notices: what a gap left unknown stands in one notice for each receiver and gap, complete and exact; whose
// reports the rate limit refused is told too, with every failure among them (R26, R33).

import type { ListedUnknown, NoticeDetails, RefusedDetails, UnheardDetails } from "../../src/domain/notice.ts";
import { Contradiction } from "./failure.ts";
import type { Reception } from "./receivers.ts";
import type { ExpectedUnknown } from "./rules.ts";
import { type Instant, iso, MINUTE } from "./units.ts";
import type { Route } from "./verdict-deliveries.ts";

export interface NoticeVerdict {
  unknown(key: string, routes: readonly Route[], unknown: ExpectedUnknown): void;
  refused(key: string, routes: readonly Route[], kind: string, at: Instant): void;
  /** A notice has arrived that is no copy. */
  received(reception: Reception, notice: NoticeDetails): void;
  finish(): void;
  counts(): { readonly unknowns: number; readonly notices: number };
}

interface Unheard {
  readonly monitors: Map<string, { readonly routes: readonly Route[]; slots: Instant[]; runs: number }>;
  readonly toldTo: Set<string>;
}

interface Refused {
  readonly routes: readonly Route[];
  /** Minutes of the wall clock in which something was refused, and those in which a failure was. */
  readonly minutes: Set<number>;
  readonly failing: Set<number>;
  /** How many of both each route was told of. */
  readonly told: Map<string, { minutes: number; fails: number }>;
}

export function noticeVerdict(): NoticeVerdict {
  /** By the beginning of the gap. */
  const unheard = new Map<Instant, Unheard>();
  const refused = new Map<string, Refused>();
  let unknowns = 0;
  let notices = 0;

  function unknown(key: string, routes: readonly Route[], { gap, slot }: ExpectedUnknown): void {
    if (gap === null) return;
    unknowns += 1;
    const left = unheard.get(gap.from) ?? { monitors: new Map(), toldTo: new Set() };
    unheard.set(gap.from, left);
    if (left.toldTo.size > 0) throw about("a gap was told of before its last unknown was judged", gap.from, { key, slot });
    const monitor = left.monitors.get(key) ?? { routes, slots: [], runs: 0 };
    left.monitors.set(key, monitor);
    if (slot === null) monitor.runs += 1;
    else monitor.slots.push(slot);
  }

  function receivedUnheard({ receiver, recipient }: Reception, notice: UnheardDetails): void {
    const from = Date.parse(notice.from);
    const left = unheard.get(from);
    const name = `${receiver} ${recipient}`;
    if (left === undefined) throw about("a notice about a gap that left nothing unknown", from, { notice });
    if (left.toldTo.has(name)) throw about("a gap was told of twice", from, { name, notice });
    left.toldTo.add(name);
    const concerned = [...left.monitors].filter(([, { routes }]) => routes.some((route) => route.receiver === receiver));
    const expected = concerned.map(([key, { slots, runs }]) => lineOf(key, Math.min(...slots), slots.length, runs)).sort();
    const said = notice.monitors.map(lineOfListed).sort();
    if (expected.join("\n") !== said.join("\n")) {
      throw about("a notice does not say what is unknown", from, { name, expected, said });
    }
  }

  function refuse(key: string, routes: readonly Route[], kind: string, at: Instant): void {
    const known = refused.get(key) ?? { routes, minutes: new Set(), failing: new Set(), told: new Map() };
    refused.set(key, known);
    known.minutes.add(Math.floor(at / MINUTE));
    if (kind === "fail") known.failing.add(Math.floor(at / MINUTE));
  }

  function receivedRefused({ receiver, recipient }: Reception, notice: RefusedDetails): void {
    for (const { monitorKey, minutes, failsTotal } of notice.monitors) {
      const known = refused.get(monitorKey);
      if (known === undefined) throw new Contradiction("a notice about a monitor nobody refused", monitorKey, { notice }, []);
      const told = known.told.get(`${receiver} ${recipient}`) ?? { minutes: 0, fails: 0 };
      known.told.set(`${receiver} ${recipient}`, { minutes: told.minutes + minutes, fails: told.fails + failsTotal });
    }
  }

  function finish(): void {
    for (const [from, { monitors, toldTo }] of unheard) {
      for (const [key, { routes }] of monitors) {
        const missing = routes.find(({ receiver, recipient }) => !toldTo.has(`${receiver} ${recipient}`));
        if (missing !== undefined) throw about("what a gap left unknown was never told", from, { key, missing });
      }
    }
    for (const [key, { routes, minutes, failing, told }] of refused) {
      for (const { receiver, recipient } of routes) {
        const heard = told.get(`${receiver} ${recipient}`) ?? { minutes: 0, fails: 0 };
        if (heard.minutes === minutes.size && heard.fails === failing.size) continue;
        const expected = { minutes: minutes.size, fails: failing.size };
        throw new Contradiction("refused reports were not told as they were", key, { receiver, recipient, heard, expected }, []);
      }
    }
  }

  return {
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

const about = (what: string, from: Instant, details: Record<string, unknown>): Contradiction =>
  new Contradiction(what, `the gap from ${iso(from)}`, details, []);

const lineOf = (key: string, first: Instant, slots: number, runs: number): string =>
  `${key}: ${slots} slots from ${slots === 0 ? "-" : iso(first)}, ${runs} runs`;

const lineOfListed = ({ monitorKey, firstSlot, slotsTotal, runsTotal }: ListedUnknown): string =>
  `${monitorKey}: ${slotsTotal} slots from ${firstSlot ?? "-"}, ${runsTotal} runs`;

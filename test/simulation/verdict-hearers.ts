// The verdict on what people and pagers hear (R38). No rules of this directory say when which message comes: whatever
// is held, joined or left out, what they know afterwards must be true, and come neither too early nor in quiet hours.

import type { AlertData } from "../../src/domain/message/alert.ts";
import type { ClaimedDelivery } from "../../src/engine/api.ts";
import { Contradiction } from "./failure.ts";
import { HEARER_PATIENCE, HEARERS, type Heard, type Hearer } from "./receivers.ts";
import { DAY, HOUR, type Instant, iso } from "./units.ts";
import type { MonitorVerdict, Raised } from "./verdict-monitor.ts";

export interface HearerVerdict {
  /** Rollcall has told of this. */
  raised(monitor: MonitorVerdict, raised: Raised): void;
  /** A message has arrived, which is no copy. */
  heard(heard: Heard): void;
  /** Rollcall has given up this message at the instant `at` of its clock. */
  givenUp(hearer: Hearer, delivery: ClaimedDelivery, at: Instant, hasArrived: boolean): void;
  notReached(hearer: Hearer): void;
  /** What hearers know must be true by now, as far as nothing has befallen rollcall or their servers. */
  review(): void;
  /** As `MonitorRules.keep`: put back, hearers may know more than rollcall does. */
  keep(): () => void;
  counts(): Readonly<Record<string, number>>;
}

export interface HearerParts {
  readonly now: () => Instant;
  readonly wall: () => Instant;
  /** Since when nothing has befallen rollcall, in true time; and since when its clock has been right, by that clock. */
  readonly undisturbedSince: () => Instant;
  readonly rightSince: () => Instant;
}

/** Instants by the clock of rollcall. */
interface KnownIncident {
  readonly id: string;
  readonly openedAt: Instant;
  closedAt: Instant | null;
  /** When the first of its series opened: each within an hour of the one before. */
  readonly seriesFrom: Instant;
  /** By which services know it; null while nothing of it was sent. */
  thread: string | null;
}

/** What one hearer knows of one job. */
interface Lane {
  /** Incidents of which it has heard and knows no end. */
  readonly told: Set<string>;
  /**
   * Something was given up, or a restore has made rollcall forget: until all has settled it may hear an end of
   * something unheard, or none.
   */
  isUnsure: boolean;
  /** When the newest messages were written. */
  written: Instant[];
}

interface HeardJob {
  readonly monitor: MonitorVerdict;
  /** The newest is the last. */
  readonly incidents: KnownIncident[];
  readonly lanes: ReadonlyMap<string, Lane>;
}

/** Quiet hours, what waits for them to last, the damping of a series and a try each hour: all is over after this. */
const SETTLED = 4 * HOUR;
const MOST_AN_HOUR = 10;
const INCIDENTS_KEPT = 100;

export function hearerVerdict({ now, wall, undisturbedSince, rightSince }: HearerParts): HearerVerdict {
  const jobs = new Map<string, HeardJob>();
  const notReachedAt = new Map<string, Instant>();
  let messages = 0;
  let reviews = 0;

  const isClockRight = (): boolean => wall() - rightSince() > 2 * DAY;

  function raised(monitor: MonitorVerdict, { alert, incidentId }: Raised): void {
    const job: HeardJob = jobs.get(monitor.key) ?? {
      monitor,
      incidents: [],
      lanes: new Map(HEARERS.map(({ name }) => [name, { told: new Set(), isUnsure: false, written: [] }])),
    };
    jobs.set(monitor.key, job);
    const { incidents } = job;
    const last = incidents.at(-1);
    if (alert.reason === "opened") {
      const follows = last !== undefined && Math.abs(alert.openedAt - last.openedAt) <= HOUR;
      const seriesFrom = follows ? last.seriesFrom : alert.openedAt;
      incidents.push({ id: incidentId, openedAt: alert.openedAt, closedAt: null, seriesFrom, thread: null });
      if (incidents.length > INCIDENTS_KEPT) incidents.shift();
    } else if (alert.kind === "Recovered") incidents.at(-1)!.closedAt = alert.at;
  }

  function heard({ hearer, delivery }: Heard): void {
    const data = delivery.message.data as AlertData;
    const job = jobs.get(data.monitorKey)!;
    const lane = job.lanes.get(hearer.name)!;
    messages += 1;
    const wrong = (what: string): never => {
      const { createdAt, heldUntil, message } = delivery;
      const times = { createdAt: iso(createdAt), heldUntil: heldUntil === undefined ? null : iso(heldUntil) };
      throw job.monitor.contradiction(what, {
        hearer: hearer.name,
        ...times,
        message,
        told: [...lane.told],
        incidents: job.incidents.slice(-5).map((one) => ({ ...one, openedAt: iso(one.openedAt) })),
      });
    };
    if (hearer.is === "pager") checkThread(job, delivery, data, wrong);
    if (data.kind === "Recovered") hearEnd(hearer, lane, data, wrong);
    else hearTrouble({ hearer, lane, job, delivery, data, wrong });
    if (isClockRight()) checkTime(hearer, lane, delivery, wrong);
  }

  function checkThread(
    { incidents }: HeardJob,
    { thread }: ClaimedDelivery,
    { incidentId }: AlertData,
    wrong: (what: string) => never,
  ): void {
    const incident = incidents.find(({ id }) => id === incidentId);
    if (incident === undefined) return;
    incident.thread ??= thread;
    if (incident.thread !== thread) wrong(`an incident has another name than ${incident.thread}`);
  }

  function hearEnd({ is }: Hearer, lane: Lane, { incidentId }: AlertData, wrong: (what: string) => never): void {
    const isKnown = is === "people" ? lane.told.size > 0 : lane.told.has(incidentId);
    if (!isKnown && !lane.isUnsure) wrong("an end of trouble that was not told");
    if (is === "people") lane.told.clear();
    else lane.told.delete(incidentId);
  }

  interface HeardTrouble extends Heard {
    readonly lane: Lane;
    readonly job: HeardJob;
    readonly data: AlertData;
    readonly wrong: (what: string) => never;
  }

  function hearTrouble({ hearer, lane, job, delivery, data, wrong }: HeardTrouble): void {
    const { incidentId, reason } = data;
    const incident = job.incidents.find(({ id }) => id === incidentId);
    if (incident === undefined) {
      if (!lane.isUnsure) wrong("an alert of no incident");
      return;
    }
    if (reason === "reminder" && !hearer.isTurn && !lane.isUnsure && lane.told.size === 0)
      wrong("a reminder of what was not told");
    if (hearer.is === "pager" && reason === "opened" && lane.told.has(incidentId)) wrong("a pager was called twice");
    const due = delivery.heldUntil ?? delivery.createdAt;
    const isHeldBack = hearer.afterMs !== null || (hearer.is === "pager" && due > delivery.createdAt);
    if (isHeldBack && !lane.isUnsure && isClockRight()) {
      if (incident.closedAt !== null && incident.closedAt < due) wrong("called for what was over");
      if (reason === "opened" && due < incident.seriesFrom + (hearer.afterMs ?? 0)) wrong("called too early");
    }
    lane.told.add(incidentId);
  }

  function checkTime(
    { quiet, is }: Hearer,
    lane: Lane,
    delivery: ClaimedDelivery,
    wrong: (what: string) => never,
  ): void {
    const { heldUntil, createdAt } = delivery;
    const due = iso(heldUntil ?? createdAt).slice(11, 16);
    if (quiet.some(({ from, to }) => from <= due && due < to)) wrong("due in quiet hours");
    if (is !== "people") return;
    lane.written = [...lane.written.filter((at) => at > createdAt - HOUR && at <= createdAt), createdAt];
    if (lane.written.length > MOST_AN_HOUR && !lane.isUnsure) wrong("too many messages in an hour");
  }

  function review(): void {
    const settledAt = wall() - SETTLED;
    if (now() - undisturbedSince() < SETTLED) return;
    const isReached = ({ name }: Hearer): boolean => now() - (notReachedAt.get(name) ?? 0) > SETTLED;
    const hearers = HEARERS.filter(isReached);
    for (const job of jobs.values()) reviewJob(job, hearers, settledAt);
  }

  function reviewJob({ monitor, incidents, lanes }: HeardJob, hearers: readonly Hearer[], settledAt: Instant): void {
    const last = incidents.at(-1);
    if (last === undefined) return;
    const stands = last.closedAt === null && last.openedAt < settledAt;
    const isOver = last.closedAt !== null && last.closedAt < settledAt;
    if (!stands && !isOver) return;
    const turns = hearers.filter(({ isTurn }) => isTurn);
    const isKnownToTurn = turns.some(({ name }) => lanes.get(name)!.told.size > 0 || lanes.get(name)!.isUnsure);
    for (const hearer of hearers) {
      const lane = lanes.get(hearer.name)!;
      const { told } = lane;
      if (lane.isUnsure) {
        // Another turn may have been told.
        if (stands && hearer.isTurn) continue;
        lane.isUnsure = false;
        told.clear();
        if (stands) told.add(last.id);
        continue;
      }
      reviews += 1;
      const knows = hearer.is === "people" ? told.size > 0 : told.has(last.id);
      const isTold = hearer.isTurn ? isKnownToTurn || turns.length < ALL_TURNS : knows;
      const isWrong = stands ? !isTold : told.size > 0;
      if (!isWrong) continue;
      const details = { hearer: hearer.name, incident: { ...last, openedAt: iso(last.openedAt) }, told: [...told] };
      throw monitor.contradiction(stands ? "trouble that nobody told" : "an end that nobody told", details);
    }
  }

  return {
    raised,
    heard,
    givenUp: (hearer, delivery, at, hasArrived) => {
      if (at - delivery.createdAt < HEARER_PATIENCE)
        throw new Contradiction("a message was given up too early", null, { hearer, at: iso(at) }, []);
      if (delivery.message.type === "service.notice" || hasArrived) return;
      const data = delivery.message.data as AlertData;
      const lane = jobs.get(data.monitorKey)!.lanes.get(hearer.name)!;
      lane.isUnsure = true;
      if (data.kind === "Recovered") lane.told.clear();
    },
    notReached: ({ name }) => void notReachedAt.set(name, now()),
    review,
    keep: () => {
      const kept = new Map([...jobs].map(([key, { incidents }]) => [key, structuredClone(incidents)]));
      return () => {
        for (const [key, { incidents, lanes }] of jobs) {
          incidents.splice(0, incidents.length, ...structuredClone(kept.get(key) ?? []));
          for (const lane of lanes.values()) lane.isUnsure = true;
        }
      };
    },
    counts: () => ({ "messages to hearers": messages, "lanes reviewed": reviews }),
  };
}

const ALL_TURNS = HEARERS.filter(({ isTurn }) => isTurn).length;

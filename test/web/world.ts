// A household of jobs with a past, for pages: the real engine plays their last weeks. Its present is one and the same
// instant in every run, for the browser too: at another time of the day other jobs would be late.

import { nextSlot } from "../../src/domain/schedule/slots.ts";
import type { Policy } from "../../src/domain/settings/policy.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { Ping } from "../../src/engine/api.ts";
import { openService, ping, policyWith, type Service } from "../support/engine.ts";
import { openPage, type PageOptions } from "./browser.ts";

/** How a job behaves. */
export interface Habit {
  readonly key: string;
  readonly name: string;
  readonly schedule: string;
  readonly timezone?: string;
  /** Milliseconds; 0: it sends heartbeats. */
  readonly takes: number;
  /** The numbers of the runs, counted back from the newest, that fail. */
  readonly fails?: readonly number[];
  /** The same of runs that never report. */
  readonly misses?: readonly number[];
  readonly says?: string;
}

export const HOUSEHOLD: readonly Habit[] = [
  {
    key: "nightly-backup",
    name: "Nightly backup",
    schedule: "0 2 * * *",
    timezone: "Europe/Berlin",
    takes: 14 * MINUTE,
    misses: [1],
  },
  {
    key: "import-orders",
    name: "Import orders",
    schedule: "*/15 * * * *",
    takes: 40 * SECOND,
    fails: [1, 2, 3, 9],
    says: "connection refused: db.internal:5432",
  },
  { key: "certificates", name: "Certificates", schedule: "0 */12 * * *", takes: 4 * SECOND },
  { key: "report", name: "Weekly report", schedule: "0 6 * * 1", timezone: "America/New_York", takes: 3 * MINUTE },
  { key: "photos-sync", name: "Photos sync", schedule: "*/30 * * * *", takes: 5 * MINUTE, fails: [17] },
  { key: "heartbeat", name: "Router heartbeat", schedule: "*/5 * * * *", takes: 0, misses: [20] },
  { key: "old-mirror", name: "Old mirror", schedule: "*/10 * * * *", takes: 20 * SECOND },
  { key: "log-rotation", name: "Log rotation", schedule: "0 0 * * *", takes: 2 * SECOND },
];

const WEEKS = 2;
const RUNS_PLAYED = 45;

/** The present of every such service: between the slots of the household, so that none of its jobs is late or runs. */
export const WORLD_ENDS = Date.parse("2026-03-04T11:47:30Z");

/** A page of it, in a browser whose clock agrees. */
export const openWorldPage = (url: string, options: PageOptions = {}) => openPage(url, options, WORLD_ENDS);

interface WorldChanges {
  readonly policy?: Policy;
  /** How many runs of each job are played, the newest. */
  readonly runs?: number;
  /** Called after each instant at which something was reported. */
  readonly after?: (service: Service) => Promise<void>;
}

/** `extra`: how many plain jobs to add. */
export async function openWorld(
  habits: readonly Habit[] = HOUSEHOLD,
  extra = 0,
  { policy = policyWith({ timezone: "UTC" }), runs = RUNS_PLAYED, after }: WorldChanges = {},
): Promise<Service> {
  const end = WORLD_ENDS;
  const service = openService(policy, end - WEEKS * 7 * DAY);
  service.engine.operate("app create", { slug: "prod" });
  const plain = Array.from({ length: extra }, (_, place) => plainJob(place));
  const events = [...habits, ...plain].flatMap((habit) => eventsOf(habit, end, runs)).sort((a, b) => a.at - b.at);
  for (const [at, together] of Map.groupBy(events, (event) => event.at)) {
    if (service.now < at) service.look(at);
    await service.send(...together.map(({ report }) => report));
    await after?.(service);
  }
  service.look(end);
  return service;
}

function plainJob(place: number): Habit {
  const minute = place % 60;
  return {
    key: `job-${place}`,
    name: `${["Sync", "Export", "Clean up", "Index", "Mail"][place % 5]} ${place}`,
    schedule: `${minute} * * * *`,
    takes: ((place % 7) + 1) * 20 * SECOND,
    ...(place % 97 === 13 ? { fails: [1] } : {}),
  };
}

function eventsOf(habit: Habit, end: Instant, runs: number): { at: Instant; report: Ping }[] {
  const { key, name, schedule, timezone = "UTC", takes, fails = [], misses = [], says = "exit status 1" } = habit;
  const slots: Instant[] = [];
  for (let slot = nextSlot(schedule, timezone, end - WEEKS * 7 * DAY + HOUR); slot !== null && slot + takes < end; )
    [slots[slots.length], slot] = [slot, nextSlot(schedule, timezone, slot)];
  const played = slots.slice(-runs);
  const of = { monitorKey: key, schedule, timezone, name };
  return played.flatMap((slot, place) => {
    const back = played.length - place;
    if (misses.includes(back)) return [];
    const took = Math.round(takes * (0.7 + ((place * 7919) % 60) / 100));
    const start = slot + SECOND;
    const kind = fails.includes(back) ? "fail" : takes === 0 ? "heartbeat" : "complete";
    const message = kind === "fail" ? says : null;
    const finish = { at: start + took, report: ping({ ...of, kind, message }) };
    return takes === 0 ? [finish] : [{ at: start, report: ping({ ...of, kind: "start" }) }, finish];
  });
}

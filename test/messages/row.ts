// The rows of docs/messages.md: what happened, and the message that tells of it. The alerts come from the core itself,
// so that no row shows what can never be told.

import { type AlertMessage, alertMessage } from "../../src/domain/message/alert.ts";
import type { Message } from "../../src/domain/message/message.ts";
import type { Instance, Presentation } from "../../src/domain/message/presentation.ts";
import { newMonitor, type Watch } from "../../src/domain/monitor/monitor.ts";
import { wakeAt } from "../../src/domain/monitor/settle.ts";
import { type Signal, transition } from "../../src/domain/monitor/transition.ts";
import type { Instant } from "../../src/domain/time.ts";
import { PLAIN_PRESENTATION } from "../support/alerts.ts";
import { DEFAULT_WATCH, instantOf } from "../support/timeline-table.ts";

export interface Section {
  readonly title: string;
  /** What holds for all of its rows. */
  readonly about: string;
  readonly rows: readonly Row[];
}

export interface Row {
  readonly when: string;
  readonly message: Message;
  readonly sentAt: Instant;
}

/** What arrives, and when; times as in the worked examples, in UTC on 2026-03-02. */
export type Step = readonly [at: string, signal: Signal];

export interface Story {
  readonly watch?: Partial<Watch>;
  /** When it is set up; before its first report. */
  readonly setUp?: string;
  readonly steps?: readonly Step[];
  /** Until then nothing else comes. */
  readonly until: string;
  /** The number of its first incident. */
  readonly incident?: number;
  readonly name?: string;
  readonly key?: string;
  /** The name under which its incident was first told, if that was another. */
  readonly notifiedAs?: string;
  readonly presentation?: Partial<Presentation>;
  readonly instance?: Partial<Instance>;
  readonly zones?: readonly string[];
}

/** One application, on a computer where rollcall runs as the user `rollcall`. */
export const HOME: Instance = {
  from: "https://cron.example.org",
  teamName: null,
  timezone: "UTC",
  onlyApplication: true,
  commandUser: "rollcall",
  commandLine: null,
};

/** A backup that is due at three each night, and may be a minute late. */
const NIGHTLY: Watch = { ...DEFAULT_WATCH, schedule: "0 3 * * *" };

/** Every alert of a story, in order; the clock is looked at whenever the core asks for it. */
export function alertsOf(story: Story): AlertMessage[] {
  const told: AlertMessage[] = [];
  let monitor = newMonitor({ ...NIGHTLY, ...story.watch }, instantOf(story.setUp ?? "03-01 12:00:00"));
  const key = story.key ?? "nightly-backup";
  const subject = {
    application: "default",
    key,
    name: story.name ?? "Nightly backup",
    notifiedAs: story.notifiedAs === undefined ? null : { monitorKey: key, name: story.notifiedAs },
    presentation: { ...PLAIN_PRESENTATION, ...story.presentation },
    instance: { ...HOME, ...story.instance },
    zones: story.zones ?? [],
    refusedReport: null,
    startHeardAt: null,
    usualMs: null,
    runsOn: null,
    gaps: [],
    url: null,
  };
  const take = (signal: Signal, now: Instant): void => {
    const decision = transition(monitor, signal, now, []);
    ({ monitor } = decision);
    for (const alert of decision.alerts) {
      told.push(
        alertMessage(alert, monitor, { ...subject, incidentId: (story.incident ?? 12) - 1 + alert.incident.number }),
      );
    }
  };
  const watchUntil = (now: Instant): void => {
    for (let due = wakeAt(monitor, []); due !== null && due < now; due = wakeAt(monitor, [])) {
      take({ kind: "wake" }, due);
    }
  };
  for (const [at, signal] of [...(story.steps ?? []), [story.until, { kind: "wake" }] as Step]) {
    const now = instantOf(at);
    watchUntil(now);
    take(signal, now);
  }
  return told;
}

/** The last that a story tells, sent at once, or this many milliseconds later. */
export function lastOf(when: string, story: Story, change: Partial<AlertMessage["data"]> = {}, late = 0): Row {
  const message = alertsOf(story).at(-1);
  if (message === undefined) throw new Error(`nothing is told of: ${when}`);
  return row(when, { ...message, data: { ...message.data, ...change } }, late);
}

export const row = (when: string, message: Message, late = 0): Row => ({ when, message, sentAt: message.at + late });

// The parts of a message's words. The files of wording make them, and every channel lays them out.

import type { Incident } from "../monitor/incident.ts";
import type { Status } from "../monitor/monitor.ts";
import type { TroubledLately } from "../settings/flapping.ts";
import type { Instant } from "../time.ts";
import type { Times } from "./message-times.ts";
import type { StandingPause } from "./paused.ts";

export interface Wording {
  /** One line that is clear by itself: what is wrong, and with which job. */
  readonly subject: string;
  /** What happened, one line for each paragraph; never empty. The first paragraph is one sentence. */
  readonly story: readonly string[];
  /** What to do first, in one sentence. A lock screen shows it after the first sentence when there are no own words. */
  readonly toDo: string;
  /**
   * Why the job failed, in its own words: the line under the subject. `null` when it gave no reason, or the trouble is
   * over.
   */
  readonly ownWords: OwnWords | null;
  /** What the job reported with the last trouble, with line feeds between lines; `null` when it reported nothing. */
  readonly quote: Fact | null;
  /**
   * What the job wrote last, with line feeds between lines (R46); `null` when no output is kept, and in all but alerts.
   */
  readonly output: Fact | null;
  /** The jobs that a message about several names, the most important first; otherwise empty. */
  readonly items: readonly Item[];
  /** What else to do and what comes next, each on one line. */
  readonly advice: readonly string[];
  /** Commands to type. The label says what each does and where. Empty when there are none. */
  readonly commands: readonly Fact[];
  readonly facts: readonly Fact[];
  readonly links: readonly Link[];
  /** Who sends the message, for the end of a mail. */
  readonly signature: string;
  /** `bad` while the incident goes on, `good` when it ended, `neutral` when the message is about no incident. */
  readonly tone: "bad" | "good" | "neutral";
}

/** When a message is sent, and by how many milliseconds it is late. */
export type Sending = Readonly<{ sentAt: Instant; late: number | null; times: Times }>;

/** One line of what a job reported. `isWhole` is true when the job reported nothing else. */
export type OwnWords = Readonly<{ line: string; isWhole: boolean }>;

export interface Item {
  readonly name: string;
  /**
   * What the job reported, with line feeds between lines, shown right under the name; `null` when it reported nothing.
   */
  readonly quote: string | null;
  readonly details: readonly string[];
  /** The number of jobs that this entry represents without naming them. */
  readonly unnamed?: number;
}

export type Fact = Readonly<{ label: string; value: string }>;

export type Link = Readonly<{ label: string; url: string }>;

/** The empty parts of a message that has only a subject, a story and what to do. */
export const BARE = {
  ownWords: null,
  quote: null,
  output: null,
  items: [],
  advice: [],
  commands: [],
  facts: [],
  links: [],
} as const satisfies Partial<Wording>;

export type NoticeWords = Pick<Wording, "subject" | "story" | "toDo"> &
  Partial<Pick<Wording, "items" | "advice" | "facts" | "commands">>;

export interface JobNow {
  readonly status: Status;
  readonly timezone: string;
  readonly lateSince: Instant | null;
  readonly nextAt: Instant | null;
  readonly graceSeconds: number;
  readonly lastPingAt: Instant | null;
  readonly lastSuccessAt: Instant | null;
  /** The newest fail, wrong outcome or passed deadline of an unfinished run. */
  readonly lastFailureAt: Instant | null;
  /** Misses in a row that have been tolerated so far (R41). */
  readonly misses: number;
  readonly failures: number;
  /** True when a slot or a run is unknown and no report has come since (R26). */
  readonly unheard: boolean;
  readonly pauses: {
    readonly manual: StandingPause | null;
    readonly discovery: boolean;
    readonly plan: boolean;
    readonly suspension: boolean;
  };
  readonly incident: Pick<Incident, "opening" | "causes" | "troubles" | "message" | "expectedAt"> | null;
  readonly run: { readonly startedAt: Instant | null; readonly deadline: Instant | null } | null;
  /** How many milliseconds the previous run took. */
  readonly lastRunMs: number | null;
  /** `null` when the job came into trouble too rarely for it to be said. */
  readonly lately: TroubledLately | null;
}

/** How an instant is worded: `3 h ago`, `in 9 h` or `4 min late`, `1 h 12 min` since it, `Monday 08:00`. */
export type SaidMoment = Readonly<{ at: Instant; as: "ago" | "until" | "for" | "when" }>;

export type UnwordedPart = string | SaidMoment;

// The parts of a message's words: the files of wording make them and every channel lays them out.

import type { Incident } from "../monitor/incident.ts";
import type { Status } from "../monitor/monitor.ts";
import type { TroubledLately } from "../settings/flapping.ts";
import type { Instant } from "../time.ts";
import type { Times } from "./message-times.ts";
import type { StandingPause } from "./paused.ts";

export interface Wording {
  /** One line, clear by itself: what is wrong, and with which job. */
  readonly subject: string;
  /** What happened, each paragraph one line; never empty. The first is one sentence. */
  readonly story: readonly string[];
  /** What to do first, in one sentence. A lock screen shows it behind the first of the story where no own words are. */
  readonly toDo: string;
  /** Why, as the job says it: the line under the subject. Null: it gave no reason, or its trouble is over. */
  readonly ownWords: OwnWords | null;
  /** What the job reported with the last trouble, lines ended by line feeds; null when it reported nothing. */
  readonly quote: Fact | null;
  /** What the job wrote last, lines ended by line feeds (R46); null when nothing is kept, and in all but alerts. */
  readonly output: Fact | null;
  /** The jobs that a message about several names, the most important first; else empty. */
  readonly items: readonly Item[];
  /** What else to do and what comes next, each on one line. */
  readonly advice: readonly string[];
  /** Commands to type; the label says what each does and where. Empty when there are none. */
  readonly commands: readonly Fact[];
  readonly facts: readonly Fact[];
  readonly links: readonly Link[];
  /** Who sends this, for the end of a mail. */
  readonly signature: string;
  /** The incident goes on, or it ended, or the message is about no incident. */
  readonly tone: "bad" | "good" | "neutral";
}

/** When a message is sent, and by how many milliseconds it is late. */
export type Sending = Readonly<{ sentAt: Instant; late: number | null; times: Times }>;

/** One line of what a job reported. `isWhole`: it reported no more than this. */
export type OwnWords = Readonly<{ line: string; isWhole: boolean }>;

export interface Item {
  readonly name: string;
  /** What the job reported, lines ended by line feeds; null when nothing was. It stands right under the name. */
  readonly quote: string | null;
  readonly details: readonly string[];
  /** The number of jobs that this entry stands for without naming them. */
  readonly unnamed?: number;
}

export type Fact = Readonly<{ label: string; value: string }>;

export type Link = Readonly<{ label: string; url: string }>;

/** Where a message has no more than its subject, its story and what to do. */
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
  /** The newest fail, wrong outcome, or limit that a run did not keep. */
  readonly lastFailureAt: Instant | null;
  /** In a row, tolerated so far (R41). */
  readonly misses: number;
  readonly failures: number;
  /** A slot or a run is unknown, and no report has come since (R26). */
  readonly unheard: boolean;
  readonly pauses: {
    readonly manual: StandingPause | null;
    readonly discovery: boolean;
    readonly plan: boolean;
    readonly suspension: boolean;
  };
  readonly incident: Pick<Incident, "opening" | "causes" | "troubles" | "message" | "expectedAt"> | null;
  readonly run: { readonly startedAt: Instant | null; readonly deadline: Instant | null } | null;
  /** Milliseconds that the run before it took. */
  readonly lastRunMs: number | null;
  /** Null: not so often that it needs to be said. */
  readonly lately: TroubledLately | null;
}

/** How an instant is said: `3 h ago`, `in 9 h` or `4 min late`, `1 h 12 min` since it, `Monday 08:00`. */
export type SaidMoment = Readonly<{ at: Instant; as: "ago" | "until" | "for" | "when" }>;

export type Unsaid = string | SaidMoment;

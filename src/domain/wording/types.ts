// The parts of a message's words. The files of this folder make them, and each channel lays them out in its own way.

import type { Incident } from "../monitor/incident.ts";
import type { Status } from "../monitor/monitor.ts";
import type { TroubledLately } from "../telling/flapping.ts";
import type { Instant } from "../time.ts";
import type { Times } from "./message-times.ts";
import type { StandingPause } from "./paused.ts";

export interface Wording {
  /** One line that is clear by itself: what happened, and to which job. */
  readonly subject: string;
  /** What happened, a text for each paragraph; never empty. The first paragraph is one sentence. */
  readonly story: readonly string[];
  /** What to do first, in one sentence. Without `ownWords` a lock screen shows it behind the story's first sentence. */
  readonly toDo: string;
  /** Why the job failed, in its own words, below the subject; `null` without a reason, or once trouble is over. */
  readonly ownWords: OwnWords | null;
  /** The message that the job sent with its last trouble, with line feeds between lines; `null` when it sent none. */
  readonly quote: Fact | null;
  /**
   * The last lines that a failing job wrote, with line feeds (R46); `null` when none are kept, and in messages that are
   * no alert.
   */
  readonly output: Fact | null;
  /** The jobs that the message lists, or the addresses that a drill missed, the most important first; often empty. */
  readonly items: readonly Item[];
  /** What else to do, and what comes next. Each text is one line. */
  readonly advice: readonly string[];
  /** Commands to type. The label of each says what it does and where to type it. */
  readonly commands: readonly Fact[];
  readonly facts: readonly Fact[];
  readonly links: readonly Link[];
  /** Who sends the message. It stands at the end of a mail. */
  readonly signature: string;
  /** `bad` for trouble, `good` when it has ended, `neutral` for an acknowledgement and what is about no incident. */
  readonly tone: "bad" | "good" | "neutral";
}

/** When a message is sent, and by how many milliseconds it is late; `late` is `null` when it is not late. */
export type Sending = Readonly<{ sentAt: Instant; late: number | null; times: Times }>;

/** The line of a job's message that says why it failed. `isWhole` is true when the message has only this line. */
export type OwnWords = Readonly<{ line: string; isWhole: boolean }>;

/** An entry of the list in a message: a job, or an address that a drill missed. */
export interface Item {
  readonly name: string;
  /** The job's message, with line feeds between lines, shown below the name; `null` when the job sent none. */
  readonly quote: string | null;
  readonly details: readonly string[];
  /** How many further jobs this entry stands for, as `and 7 more`; absent when the entry is one job. */
  readonly unnamed?: number;
}

export type Fact = Readonly<{ label: string; value: string }>;

export type Link = Readonly<{ label: string; url: string }>;

/** The parts that are empty in a message which has only a subject, a story and what to do. */
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
  /** The time of the newest trouble that is no miss: a fail, a wrong outcome, or a run that passed its deadline. */
  readonly lastFailureAt: Instant | null;
  /** How many misses in a row have been tolerated so far (R41). */
  readonly misses: number;
  readonly failures: number;
  /** True when a slot or a run became unknown, because rollcall could not hear, and no report has come since (R26). */
  readonly unheard: boolean;
  readonly pauses: {
    readonly manual: StandingPause | null;
    readonly discovery: boolean;
    readonly plan: boolean;
    readonly suspension: boolean;
  };
  readonly incident: Pick<Incident, "opening" | "causes" | "troubles" | "message" | "expectedAt"> | null;
  readonly run: { readonly startedAt: Instant | null; readonly deadline: Instant | null } | null;
  /** How many milliseconds the last finished run took; `null` when that is not known. */
  readonly lastRunMs: number | null;
  /** How often the job came into trouble lately; `null` when that was too rare to be told. */
  readonly lately: TroubledLately | null;
}

/**
 * An instant and the way to word it. `ago`: `3 h ago`. `until`: `in 9 h` or `4 min late`. `for`, the time since the
 * instant: `1 h 12 min`. `when`: `Monday 08:00`.
 */
export type SaidMoment = Readonly<{ at: Instant; as: "ago" | "until" | "for" | "when" }>;

/** A part of a sentence: fixed words, or an instant that is worded when the sentence is shown. */
export type UnwordedPart = string | SaidMoment;

// The parts of a message's words, as every file of wording makes them and every channel lays them out. Types only, so that
// no two files of wording need each other.

import type { Instant } from "../time.ts";
import type { Times } from "./told-times.ts";

export interface Wording {
  /** One line that stands by itself: what is the matter, and with what. */
  readonly subject: string;
  /** What happened, each paragraph one line; never empty. The first is one sentence. */
  readonly story: readonly string[];
  /** What to do, before all else, in one sentence: with the subject and the first of the story all that a lock screen shows. */
  readonly toDo: string;
  /** What was reported with the last trouble, lines ended by line feeds; null when nothing was. */
  readonly quote: Fact | null;
  /** The jobs it names, the most important first; empty when it is about one. */
  readonly items: readonly Item[];
  /** What to do besides and what comes next, each one line. */
  readonly advice: readonly string[];
  /** What can be typed, the label says what for and where; empty when there is nothing to type. */
  readonly commands: readonly Fact[];
  readonly facts: readonly Fact[];
  readonly links: readonly Link[];
  /** Who says it, for the end of a mail. */
  readonly signature: string;
  /** An incident goes on, or ended, or it is about no incident. */
  readonly tone: "bad" | "good" | "neutral";
}

/** How a message is told: when it is sent, and how late that is in milliseconds when it is late. */
export interface Sending {
  readonly sentAt: Instant;
  readonly late: number | null;
  readonly times: Times;
}

export interface Item {
  /** One line. */
  readonly name: string;
  /** Each one line. */
  readonly details: readonly string[];
  /** What the job reported, lines ended by line feeds; null when nothing was. */
  readonly quote: string | null;
  /** It stands for this number of jobs that are not named. */
  readonly unnamed?: number;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

export interface Link {
  readonly label: string;
  /** http or https. */
  readonly url: string;
}

/** What the kinds of notices differ in. */
export type NoticeWords = Pick<Wording, "subject" | "story" | "toDo" | "items" | "advice" | "facts" | "commands">;

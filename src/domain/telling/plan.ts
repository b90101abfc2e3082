// The second decision (R36, R38). `transition` decides what is true of a job; `plan` decides for one hearer when each
// message that waits is due, and which need not be sent and why. Whatever changes what is true of a job, the rules of
// its hearers or the clock asks again; what has come due or was tried stays as it is. Pure.

import { type AlertKind, isOpening, isTrouble } from "../message/alert.ts";
import { WELL_FOR } from "../settings/flapping.ts";
import { type Hearing, heardFrom, isAtLeast } from "../settings/hearing.ts";
import { type Instant, SECOND } from "../time.ts";
import {
  type HearerRules,
  isKnown,
  isSettled,
  type KnownTrouble,
  type Lane,
  type LaneMessage,
  type Standing,
  toldAfter,
} from "./lane.ts";

/** Why a message is due when it is. */
export type WhyDue =
  /** It need not wait. */
  | "now"
  /** The hearer's quiet hours. */
  | "quiet"
  /** The hearer hears only of what no one has acknowledged. */
  | "after"
  /** The job has to be well for a while, because it failed again and again. */
  | "well"
  /** An earlier message of the lane goes first. */
  | "behind"
  /** A person paused the job. */
  | "paused";

export type WhyNotSent =
  /** A person had taken the incident on before the message was due. */
  | "acknowledged"
  /** The incident was over before the message was due. */
  | "over"
  /** The message of an earlier failure is for this one too, because no end was told. */
  | "joined"
  /** The job failed again before its recovery was told. */
  | "failed again"
  /** The hearer knows nothing of the incident. */
  | "untold";

export type DuePlan = Readonly<{ due: Instant; why: WhyDue } | { due: null; why: "paused" }>;

/** `knownBy`: what the hearer was told instead; null unless it was. `by`: who has acknowledged it, if that is known. */
export type NotSentPlan =
  | Readonly<{ notSent: Exclude<WhyNotSent, "acknowledged">; knownBy: KnownTrouble | null }>
  | Readonly<{ notSent: "acknowledged"; by: string | null; knownBy: null }>;

export type MessagePlan = DuePlan | NotSentPlan;

export const isSent = (verdict: MessagePlan): verdict is DuePlan => "why" in verdict;

type PlannedMessage = { readonly message: LaneMessage; verdict: MessagePlan };

/** The verdict on each message that waits in the lane, in the lane's order. */
export function plan(lane: Lane, standing: Standing, rules: HearerRules, now: Instant): readonly MessagePlan[] {
  const all = plannedMessages(lane, standing, rules, now);
  takeAlong(all, rules);
  putInOrder(all);
  return all.map(({ verdict }) => verdict);
}

/**
 * What `plan` says of an opening that is written now: it is due now when nothing waits before it and its hearer has
 * neither quiet hours nor a time to wait, however the job stands. Null when only `plan` can say. When very many jobs
 * fail at once nearly all their messages are such.
 */
export function planAtOnce(
  { waiting }: Pick<Lane, "waiting">,
  kind: AlertKind,
  { quiet = [], afterSeconds }: Hearing,
  now: Instant,
): DuePlan | null {
  const isAtOnce = isOpening(kind) && waiting.length === 0 && quiet.length === 0 && afterSeconds === undefined;
  return isAtOnce ? { due: now, why: "now" } : null;
}

/** The end of a series that waits to see whether the job stays well, and what the hearer knew before it. */
type WaitingEnd = Readonly<{ judged: PlannedMessage; told: KnownTrouble | null; due: Instant }>;

/** What each message would be by itself: needed or not, and from when on its hearer wants it. */
function plannedMessages(lane: Lane, standing: Standing, rules: HearerRules, now: Instant): PlannedMessage[] {
  const all: PlannedMessage[] = [];
  let { told } = lane;
  let end: WaitingEnd | null = null;
  for (const message of lane.waiting) {
    const wish = wishOf(message, rules, now);
    const isDecided = isSettled(message, now);
    const needless = isDecided ? null : needlessPlan(message, { wish, told, lane, standing, rules });
    const judged: PlannedMessage = { message, verdict: needless ?? wish };
    all.push(judged);
    if (needless !== null) continue;
    if (isDecided) judged.verdict = { due: message.due ?? now, why: "now" };
    else if (isPaused(message, standing, rules)) judged.verdict = { due: null, why: "paused" };
    else if (end !== null && isOpening(message.kind) && message.written - end.judged.message.written < WELL_FOR) {
      const before: WaitingEnd = end;
      if (isKnown(before.told, message) && !before.judged.message.isPredecessors) {
        before.judged.verdict = { notSent: "failed again", knownBy: null };
        judged.verdict = { notSent: "joined", knownBy: before.told };
        ({ told } = before);
        end = null;
        continue;
      }
      // Other trouble: its message tells more than the end would, if it comes no later.
      if (wish.due <= before.due) before.judged.verdict = { notSent: "failed again", knownBy: null };
    }
    end = !isDecided && isDamped(message, rules) ? { judged, told, due: wish.due } : null;
    told = toldAfter(told, message, isDecided ? "sent" : "waiting");
  }
  if (end !== null && failedUnheard(all, end.judged.message, standing))
    end.judged.verdict = { notSent: "failed again", knownBy: null };
  return all;
}

/**
 * The job failed again, and this hearer is told nothing of that: the week is another's, or a person has taken it on.
 * Who heard that it failed still knows the truth.
 */
const failedUnheard = (all: readonly PlannedMessage[], end: LaneMessage, { open }: Standing): boolean =>
  open !== null &&
  open.since >= end.written &&
  open.since - end.written < WELL_FOR &&
  !all.some(({ message, verdict }) => isSent(verdict) && message.incident === open.incident);

type Wish = Extract<DuePlan, { readonly due: Instant }>;

/** The end of a series, which people hear only once the job has been well for a while. */
const isDamped = ({ kind, isOfSeries }: LaneMessage, { is }: HearerRules): boolean =>
  kind === "Recovered" && isOfSeries && is === "people";

/** When the hearer wants the message, whatever stands before it in its lane. */
function wishOf(message: LaneMessage, rules: HearerRules, now: Instant): Wish {
  const { kind, written, from, severity, via } = message;
  const hearing = rules.hearing(via);
  const isLater = isOpening(kind) && hearing.afterSeconds !== undefined;
  const isWaiting = isDamped(message, rules);
  const wanted = isLater
    ? Math.max(written, from + hearing.afterSeconds! * SECOND)
    : isWaiting
      ? written + WELL_FOR
      : written;
  const isHeard = message.isAtOnce || kind === "Acknowledged";
  const due = isHeard ? wanted : heardFrom(hearing, severity, rules.timezone, wanted);
  const why = due > wanted ? "quiet" : isLater ? "after" : isWaiting ? "well" : "now";
  return { due: Math.max(due, now), why };
}

type Circumstances = Readonly<{
  wish: Wish;
  told: KnownTrouble | null;
  lane: Lane;
  standing: Standing;
  rules: HearerRules;
}>;

const needlessAs = (notSent: "over" | "joined" | "untold"): NotSentPlan => ({ notSent, knownBy: null });

/** Why a message that is not due yet need not be sent; null when it must. */
function needlessPlan(message: LaneMessage, { wish, told, lane, standing, rules }: Circumstances): NotSentPlan | null {
  const { kind, incident, written } = message;
  if (incident === null || kind === null) return null;
  const hearing = rules.hearing(message.via);
  const { open } = standing;
  if (isTrouble(kind) && (hearing.afterSeconds !== undefined || (rules.is === "pager" && wish.due > written))) {
    if (open?.incident !== incident) return needlessAs("over");
    if (open.acknowledged !== null) return { notSent: "acknowledged", by: open.acknowledged.by, knownBy: null };
  }
  const isHeldBack = callsForWhatStands(rules, hearing);
  if (kind === "Recovered") {
    const isTold = rules.is === "people" ? told !== null : told?.incident === incident;
    return !isTold && (isHeldBack || rules.is === "pager" || hasHeardOpenings(rules)) ? needlessAs("untold") : null;
  }
  if (comesWithOpening(message, told)) return needlessAs("joined");
  if (!isHeldBack || isOpening(kind) || lane.isOtherTurnTold) return null;
  // A new cause is as good as an opening, but who hears later waits for the opening itself.
  if (message.reason === "new_cause")
    return told === null && hearing.afterSeconds !== undefined ? needlessAs("untold") : null;
  return told === null || told.state === "waiting" ? needlessAs("untold") : null;
}

/** A reminder that comes with the newest failure of a series says nothing to who is told of that failure. */
const comesWithOpening = ({ kind, isOfSeries, incident, at }: LaneMessage, told: KnownTrouble | null): boolean =>
  kind === "ContinuedFailure" && isOfSeries && told?.incident === incident && told.at === at;

/** People who want openings were told of all that they need to hear the end of. */
const hasHeardOpenings = ({ is, wantsOpenings }: HearerRules): boolean => is === "people" && wantsOpenings;

/** Whether the hearer is told only of what still stands, and no one has acknowledged, when it is due there. */
const callsForWhatStands = ({ is }: HearerRules, { afterSeconds, quiet = [] }: Hearing): boolean =>
  afterSeconds !== undefined || (is === "pager" && quiet.length > 0);

/** What a pause holds stays held until its end, whatever becomes of the rules meanwhile. */
const isPaused = (message: LaneMessage, { isQuietByHand }: Standing, { hearing }: HearerRules): boolean =>
  isQuietByHand &&
  isOpening(message.kind) &&
  (message.isHeldByPause || hearing(message.via).afterSeconds !== undefined);

/** What is urgent takes along what the quiet hours hold before it: no end may come before its trouble. */
function takeAlong(all: readonly PlannedMessage[], { hearing }: HearerRules): void {
  let urgentDue = Number.POSITIVE_INFINITY;
  for (const judged of all.toReversed()) {
    const { message, verdict } = judged;
    if (!isSent(verdict) || verdict.due === null) continue;
    const { urgent } = hearing(message.via);
    const isUrgent = urgent !== undefined && isAtLeast(message.severity, urgent);
    if (message.isAtOnce || isUrgent) urgentDue = Math.min(urgentDue, verdict.due);
    else if (verdict.why === "quiet" && verdict.due > urgentDue) judged.verdict = { due: urgentDue, why: "now" };
  }
}

/** Each is due no earlier than those before it. */
function putInOrder(all: readonly PlannedMessage[]): void {
  let last: DuePlan | null = null;
  for (const judged of all) {
    const { verdict } = judged;
    if (!isSent(verdict)) continue;
    if (last !== null && (last.due === null || (verdict.due !== null && verdict.due < last.due)))
      judged.verdict = last.due === null ? last : { due: last.due, why: "behind" };
    last = judged.verdict as DuePlan;
  }
}

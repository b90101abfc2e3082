// The second decision (R36, R38). `transition` decides what is true of a job; `plan` decides for one receiver when each
// waiting message is due, or that it need not be sent and why. It is asked again whenever the job, the rules or the
// time changes. A message that is due or was tried keeps its plan.

import { type AlertKind, isOpening, isTrouble } from "../message/alert.ts";
import { WELL_FOR } from "../settings/flapping.ts";
import { type Hearing, heardFrom, isAtLeast } from "../settings/hearing.ts";
import { type Instant, SECOND } from "../time.ts";
import {
  isKnown,
  isSettled,
  type KnownTrouble,
  type Lane,
  type LaneMessage,
  type ReceiverRules,
  type Standing,
  toldAfter,
} from "./lane.ts";

/** Why a message is due at its instant. */
export type WhyDue =
  /** Nothing delays the message. */
  | "now"
  /** The receiver has quiet hours. */
  | "quiet"
  /** The receiver is told only of incidents that no person has acknowledged within its `after`. */
  | "after"
  /** The job failed repeatedly, so it must stay well for a while before its recovery is told. */
  | "well"
  /** An earlier message of the lane must go first. */
  | "behind"
  /** A person has paused the job. */
  | "paused";

export type WhyNotSent =
  /** A person acknowledged the incident before the message was due. */
  | "acknowledged"
  /** The incident ended before the message was due. */
  | "over"
  /** The receiver was told of an earlier failure and never of its end, so that message covers this failure too. */
  | "joined"
  /** The job failed again before its recovery was told. */
  | "failed again"
  /** The receiver was never told of the incident. */
  | "untold";

export type DuePlan = Readonly<{ due: Instant; why: WhyDue } | { due: null; why: "paused" }>;

/**
 * `knownBy` is the message by which the receiver knows already, or `null` when there is none. `by` is the person who
 * acknowledged the incident, or `null` when it is not known.
 */
export type NotSentPlan =
  | Readonly<{ notSent: Exclude<WhyNotSent, "acknowledged">; knownBy: KnownTrouble | null }>
  | Readonly<{ notSent: "acknowledged"; by: string | null; knownBy: null }>;

export type MessagePlan = DuePlan | NotSentPlan;

export const isSent = (verdict: MessagePlan): verdict is DuePlan => "why" in verdict;

type PlannedMessage = { readonly message: LaneMessage; verdict: MessagePlan };

/** Returns the verdict on each waiting message, in the lane's order. */
export function plan(lane: Lane, standing: Standing, rules: ReceiverRules, now: Instant): readonly MessagePlan[] {
  const all = plannedMessages(lane, standing, rules, now);
  takeAlong(all, rules);
  putInOrder(all);
  return all.map(({ verdict }) => verdict);
}

/**
 * A shortcut for an opening that is written now, with the same result as `plan`. The opening is due at once when no
 * message waits before it and its receiver has neither quiet hours nor `after`. Returns `null` when only `plan` can
 * decide. It exists because nearly all messages take this way when very many jobs fail at once.
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

/**
 * The end of a series of failures, which waits to see whether the job stays well. `told` is what the receiver knew
 * before it.
 */
type WaitingEnd = Readonly<{ judged: PlannedMessage; told: KnownTrouble | null; due: Instant }>;

/** Judges each message by itself: whether it is needed, and when its receiver wants it. */
function plannedMessages(lane: Lane, standing: Standing, rules: ReceiverRules, now: Instant): PlannedMessage[] {
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
      // The new message tells more than the end would, because it is about other trouble; if it comes no later, the end
      // is not needed.
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
 * Whether the job failed again and this receiver is not told of that, because another member of the rota is on call or
 * a person has acknowledged it. The receiver then still believes the earlier failure, which is true.
 */
const failedUnheard = (all: readonly PlannedMessage[], end: LaneMessage, { open }: Standing): boolean =>
  open !== null &&
  open.since >= end.written &&
  open.since - end.written < WELL_FOR &&
  !all.some(({ message, verdict }) => isSent(verdict) && message.incident === open.incident);

type Wish = Extract<DuePlan, { readonly due: Instant }>;

/** Whether the message is the end of a series that people hear only once the job has been well for a while. */
const isDamped = ({ kind, isOfSeries }: LaneMessage, { receiverKind }: ReceiverRules): boolean =>
  kind === "Recovered" && isOfSeries && receiverKind === "people";

/** When the receiver wants the message, regardless of the messages before it in the lane. */
function wishOf(message: LaneMessage, rules: ReceiverRules, now: Instant): Wish {
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
  rules: ReceiverRules;
}>;

const needlessAs = (notSent: "over" | "joined" | "untold"): NotSentPlan => ({ notSent, knownBy: null });

/** Why a message that is not due yet need not be sent; `null` when it must be sent. */
function needlessPlan(message: LaneMessage, { wish, told, lane, standing, rules }: Circumstances): NotSentPlan | null {
  const { kind, incident, written } = message;
  if (incident === null || kind === null) return null;
  const hearing = rules.hearing(message.via);
  const { open } = standing;
  if (
    isTrouble(kind) &&
    (hearing.afterSeconds !== undefined || (rules.receiverKind === "pager" && wish.due > written))
  ) {
    if (open?.incident !== incident) return needlessAs("over");
    if (open.acknowledged !== null) return { notSent: "acknowledged", by: open.acknowledged.by, knownBy: null };
  }
  const isToldOnlyOpen = isToldOnlyWhatIsOpen(rules, hearing);
  if (kind === "Recovered") {
    const isTold = rules.receiverKind === "people" ? told !== null : told?.incident === incident;
    return !isTold && (isToldOnlyOpen || rules.receiverKind === "pager" || getsEveryOpening(rules))
      ? needlessAs("untold")
      : null;
  }
  if (comesWithOpening(message, told)) return needlessAs("joined");
  if (!isToldOnlyOpen || isOpening(kind) || lane.isOtherTurnTold) return null;
  // A new cause counts as an opening, but a receiver with `after` waits for the opening itself.
  if (message.reason === "new_cause")
    return told === null && hearing.afterSeconds !== undefined ? needlessAs("untold") : null;
  return told === null || told.state === "waiting" ? needlessAs("untold") : null;
}

/**
 * Whether the message is a reminder that comes together with the newest failure of a series, of which the receiver is
 * told anyway.
 */
const comesWithOpening = ({ kind, isOfSeries, incident, at }: LaneMessage, told: KnownTrouble | null): boolean =>
  kind === "ContinuedFailure" && isOfSeries && told?.incident === incident && told.at === at;

/** Whether this receiver is told every opening. If it knows of no trouble, it then needs no end either. */
const getsEveryOpening = ({ receiverKind, wantsOpenings }: ReceiverRules): boolean =>
  receiverKind === "people" && wantsOpenings;

/** Whether the receiver is told only of incidents that are open and unacknowledged when the message is due. */
const isToldOnlyWhatIsOpen = ({ receiverKind }: ReceiverRules, { afterSeconds, quiet = [] }: Hearing): boolean =>
  afterSeconds !== undefined || (receiverKind === "pager" && quiet.length > 0);

/**
 * Whether a pause holds the message. A held message stays held until the pause ends, even if the rules change
 * meanwhile.
 */
const isPaused = (message: LaneMessage, { isQuietByHand }: Standing, { hearing }: ReceiverRules): boolean =>
  isQuietByHand &&
  isOpening(message.kind) &&
  (message.isHeldByPause || hearing(message.via).afterSeconds !== undefined);

/**
 * A receiver must hear of trouble before it hears of its end. So where quiet hours hold the message of trouble, and an
 * urgent message follows in the same lane, the held message is sent with the urgent one.
 */
function takeAlong(all: readonly PlannedMessage[], { hearing }: ReceiverRules): void {
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

/** Makes each message due no earlier than the messages before it. */
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

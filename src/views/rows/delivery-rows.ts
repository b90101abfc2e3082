// One message to one address, for lists of deliveries and for stories: its title, and what became of it. Pure.

import { MESSAGE_LENGTH } from "../../domain/limits.ts";
import { cleanLine } from "../../domain/text.ts";
import type { Instant } from "../../domain/time.ts";
import { addressInWords } from "../../domain/wording/job-names.ts";
import { alertTitle } from "../../domain/wording/subject.ts";
import { waitReasonInWords } from "../../domain/wording/waits.ts";
import type { DeliverySummary } from "../schemas/delivery-schemas.ts";
import type { Notified } from "../schemas/incident-schemas.ts";
import type { RowMoment } from "./rows.ts";

/** The title of a message, such as `Trouble began`, `Notice: unheard` or `Drill`. */
export function deliveryTitle({ type, kind }: Pick<DeliverySummary, "type" | "kind">): string {
  if (type === "service.notice") return `Notice: ${(kind ?? "").replaceAll("_", " ")}`;
  if (type === "destination.test") return kind === "drill" ? "Drill" : "Test";
  return kind === null ? type : alertTitle(kind);
}

type StoredDelivery = Notified["deliveries"][number];

type SaidDelivery = Pick<
  StoredDelivery,
  "state" | "attempts" | "nextAttemptAt" | "finishedAt" | "why" | "acknowledgedAt" | "answer"
> &
  Partial<Pick<StoredDelivery, "heldUntil" | "knownAt" | "failing">> &
  Partial<Pick<DeliverySummary, "digestId" | "perhapsTaken">>;

/**
 * The name of the style in which an instant is written: `ago` writes `5 min ago`. After a preposition the style `when`
 * is used, because `until 5 min ago` would be wrong.
 */
type SaidAs = RowMoment["as"];

type Parts<As extends SaidAs> = (string | Readonly<{ at: Instant; as: As | "when" }>)[];

/** What became of a message, such as `arrived`, the time, ` after 2 attempts`, without the receiver's answer. */
export function deliveryState<As extends SaidAs>(delivery: SaidDelivery, now: Instant, as: As): Parts<As> {
  const { state, attempts, finishedAt, digestId = null, perhapsTaken = false } = delivery;
  const tries = attempts < 2 ? "" : ` after ${attempts} attempts`;
  const ended = (words: string): Parts<As> => {
    const rest = `${tries}${digestId === null ? "" : `, in digest ${digestId}`}`;
    return finishedAt === null ? [words + rest] : [`${words} `, { at: finishedAt, as }, rest];
  };
  switch (state) {
    case "sent":
      return ended("arrived");
    case "given_up":
      return ended("given up");
    case "not_sent":
      return notSent(delivery, as);
    case "under_way":
      return [perhapsTaken ? "sent, no answer yet" : "is being sent"];
    case "waiting":
      return waiting(delivery, tries, now, as);
    default:
      return state satisfies never;
  }
}

/** Like `deliveryState`, followed by the receiver's answer if the answer says why the message has not arrived. */
export function deliveryEnd<As extends SaidAs>(delivery: SaidDelivery, now: Instant, as: As): Parts<As> {
  const { state, answer, knownAt = null, acknowledgedAt, failing = null } = delivery;
  const isSaid =
    answer === null || state === "sent" || state === "under_way" || knownAt !== null || acknowledgedAt !== null;
  const fails = failing === null ? "" : `: it takes no messages (${cleanLine(failing, MESSAGE_LENGTH)})`;
  return [...deliveryState(delivery, now, as), isSaid ? fails : `: ${cleanLine(answer, MESSAGE_LENGTH)}`];
}

/**
 * What became of a message and for whom, such as `Ada (mail): arrived`, the time, ` after 2 attempts`. When the message
 * did not arrive, the receiver's answer follows.
 */
export const toldParts = <As extends SaidAs>(
  delivery: SaidDelivery & Parameters<typeof addressInWords>[0],
  now: Instant,
  as: As,
): Parts<As> => [`${addressInWords(delivery)}: `, ...deliveryEnd(delivery, now, as)];

const behindPreposition = <As extends SaidAs>(at: Instant, as: As) => ({ at, as: as === "ago" ? "when" : as }) as const;

function notSent<As extends SaidAs>({ knownAt = null, acknowledgedAt, answer }: SaidDelivery, as: As): Parts<As> {
  if (knownAt !== null) return ["known by the message of ", behindPreposition(knownAt, as)];
  if (acknowledgedAt === null) return ["not sent"];
  return [`not sent: ${cleanLine(answer ?? "", MESSAGE_LENGTH)} at `, behindPreposition(acknowledgedAt, as)];
}

function waiting<As extends SaidAs>(
  { attempts, nextAttemptAt, heldUntil = null, perhapsTaken = false, why }: SaidDelivery,
  tries: string,
  now: Instant,
  as: As,
): Parts<As> {
  const until = heldUntil ?? (attempts === 0 ? nextAttemptAt : null);
  if (until !== null && until > now) return ["waits until ", behindPreposition(until, as), waitReasonInWords(why)];
  if (why === "paused") return [`waits${waitReasonInWords(why)}`];
  if (nextAttemptAt === null) return [`waits${tries} for an earlier one`];
  // A past instant is not shown, because it would mislead: the message is due, and other messages go first.
  if (nextAttemptAt <= now) return [`waits for its turn${tries}`];
  return [`${perhapsTaken ? "perhaps taken" : "waits"}${tries}, next try `, { at: nextAttemptAt, as }];
}

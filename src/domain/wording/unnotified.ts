// Says in one sentence why no person has got a message about an incident yet. Pure.

import type { Instant } from "../time.ts";
import { addressInWords } from "./job-names.ts";
import type { WordedPart } from "./now.ts";
import { ago, dueInWords } from "./short-time.ts";

export interface Unarrived {
  /** Where the message was to go; `null` when no destination is configured for it. */
  readonly destination: string | null;
  readonly recipient: string | null;
  /** How the last attempt to send the message ended; `null` when there was none. */
  readonly answer: string | null;
  /** When the next attempt is due. `null` when the message waits behind another one, is being sent, or was given up. */
  readonly nextAttemptAt: Instant | null;
  /** When a person acknowledged the incident, if the message was not sent for that reason; otherwise `null`. */
  readonly acknowledgedAt: Instant | null;
  readonly outcome: "given_up" | "not_sent" | null;
  /** True when the message was sent completely but no response came: the receiver may have it. */
  readonly perhapsTaken: boolean;
}

/**
 * Says for each destination why its message has not arrived, and when the next try is. `failing` returns how the last
 * attempt to send to a destination failed; `null` if the destination takes messages.
 */
export function unnotifiedInWords(
  messages: readonly Unarrived[],
  failing: (destination: string) => string | null,
  now: Instant,
): WordedPart[] {
  const places = new Map<string, WordedPart[]>();
  let waits = false;
  for (const { destination, recipient, answer, nextAttemptAt, acknowledgedAt, outcome, perhapsTaken } of messages) {
    if (destination === null) continue;
    const place = addressInWords({ destination, recipient });
    if (outcome === "not_sent") {
      const when = acknowledgedAt;
      places.set(place, [
        saidText(`${place} was not told: ${answer}${when === null ? "" : " "}`),
        ...(when === null ? [] : [{ text: ago(when, now), at: when, as: "ago" } as const]),
      ]);
      continue;
    }
    const isOver = outcome === "given_up";
    const why = answer ?? failing(destination);
    waits ||= !isOver;
    // The destination's own settings delay the message, as in quiet hours (R38).
    if (why === null && nextAttemptAt !== null && nextAttemptAt > now) {
      places.set(place, [
        saidText(`${place} hears of it `),
        { text: dueInWords(nextAttemptAt, now), at: nextAttemptAt, as: "until" },
      ]);
      continue;
    }
    places.set(place, [
      saidText(
        `${place} ${perhapsTaken ? MAY_HAVE : isOver ? "did not take it" : why === null ? WAITS : "does not take it"}`,
      ),
      saidText(why === null ? "" : ` (${why})`),
      ...(isOver ? [saidText(", and rollcall has given up")] : next(nextAttemptAt, now)),
    ]);
  }
  if (places.size === 0) return [saidText("No one has been notified: no destination is configured to hear of it")];
  const listed = [...places.values()]
    .slice(0, SHOWN)
    .flatMap((parts, at) => (at === 0 ? parts : [saidText("; "), ...parts]));
  const more = places.size > SHOWN ? [saidText(`; and ${places.size - SHOWN} more`)] : [];
  const head = messages.some(({ perhapsTaken }) => perhapsTaken)
    ? "It is not certain that anyone has been notified: "
    : waits
      ? "No one has been notified yet: "
      : "No one has been notified: ";
  return [saidText(head), ...listed, ...more].filter(({ text }) => text !== "");
}

const MAY_HAVE = "may have it";
const WAITS = "waits for its message";

/** The most destinations that one line has room for. */
const SHOWN = 3;

const saidText = (text: string): WordedPart => ({ text, at: null, as: null });

const next = (at: Instant | null, now: Instant): WordedPart[] =>
  at === null
    ? []
    : at <= now
      ? [saidText(", next try now")]
      : [saidText(", next try "), { text: dueInWords(at, now), at, as: "until" }];

// The simulation's requests as the engine takes and answers them: what was kept, and when; in which order requests
// came, whenever each was answered.

import type { Caller, PingAnswer, Receipt } from "../../src/engine/api.ts";
import type { RunningEngine } from "../../src/engine/engine.ts";
import type { Answer } from "./client.ts";
import type { Report } from "./job.ts";
import type { Random } from "./random.ts";
import type { Instant } from "./units.ts";

export interface Arrivals {
  /** Takes a place in the line. What is handed to the answer is done when everything before it is. */
  enter(): (run: () => void) => void;
  /**
   * The same for what nobody hears the end of: it has ended when the answer is called, or something after it has ended.
   */
  enterUnheard(run: () => void): () => void;
}

interface Place {
  readonly unheard: boolean;
  run: (() => void) | null;
}

/**
 * The request as the engine takes it, and when it was kept by its answer: null for a refusal, and for a repeat, which
 * is answered with the text of another request.
 */
export function requestOf({ idempotencyKey, ...report }: Report, caller: Caller, number: number) {
  const textOf = ({ at }: Receipt): string => `${number} ${at}`;
  const idempotency = idempotencyKey === null ? null : { key: idempotencyKey, textOf };
  const keptAt = (answer: PingAnswer): Instant | null => {
    if ("refusal" in answer) return null;
    if ("at" in answer) return answer.at;
    const [answered, at] = answer.text.split(" ").map(Number);
    return answered === number ? at! : null;
  };
  return { ping: { ...report, caller, idempotency }, keptAt };
}

export function answerOf(answer: PingAnswer): Answer {
  if (!("refusal" in answer)) return "accepted";
  return answer.refusal === "STORAGE_UNAVAILABLE" ? "unavailable" : "refused";
}

/** Things that come to their end in any order, and are done in the order in which they came. */
export function createArrivals(): Arrivals {
  const line: Place[] = [];

  function ended(place: Place): void {
    let reached = line.includes(place);
    while (line[0] !== undefined && line[0].run !== null && (reached || !line[0].unheard)) {
      const next = line.shift()!;
      if (next === place) reached = false;
      next.run!();
    }
  }

  return {
    enter: () => {
      const place: Place = { unheard: false, run: null };
      line.push(place);
      return (run) => {
        place.run = run;
        ended(place);
      };
    },
    enterUnheard: (run) => {
      const place: Place = { unheard: true, run };
      line.push(place);
      return () => ended(place);
    },
  };
}

export const secretFrom = (random: Random): string =>
  Array.from({ length: 32 }, () => random.whole(0, 35).toString(36)).join("");

export function keyFrom(engine: RunningEngine): string {
  const made = engine.as("host").operate("key create", { application: "prod", scope: "ping" });
  if ("refusal" in made) throw new Error(made.message);
  return made.key;
}

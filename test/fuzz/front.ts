// What an attack needs to know of the side of the service that it attacks: what to ask there, which answers are right,
// and what must go on beside.

import type { Random } from "../simulation/random.ts";
import type { Service } from "../support/executable.ts";
import type { WireAnswer } from "./connection.ts";
import type { Asked } from "./conversations.ts";
import type { HttpRequest } from "./request.ts";

/** What an answer counts as, and what is wrong with it; null: nothing. */
export interface Verdict {
  readonly name: string;
  readonly fault: string | null;
}

/** How often each sort of answer came. */
export type Counts = ReadonlyMap<string, number>;

/** With a service of its own, started for one attack. */
export interface Front extends AsyncDisposable {
  readonly service: Service;
  readonly port: number;
  /** A request that is sound HTTP, whatever it asks for. */
  draw(random: Random): HttpRequest;
  /** `asked` is undefined where it is not known; `isSound`: whether the service itself has to answer. */
  judge(answer: WireAnswer, asked: Asked | undefined, isSound: boolean): Verdict;
  /** What has to go on beside the attack; answers what does not. Called now and then, and at the end. */
  check(): Promise<readonly string[]>;
  /** Sorts of answers that no random request may have met yet, and that are met now. */
  reach(counts: Counts): Promise<readonly string[]>;
  /** Sorts of answers that have to come, and are not among these. */
  missing(counts: Counts): readonly string[];
  /** What must not stand in the log. */
  readonly secrets: readonly string[];
}

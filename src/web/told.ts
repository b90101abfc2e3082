// Who was told of an incident: each address once, with what became of the newest message to it.

import type { Instant } from "../domain/time.ts";
import type { Chapter } from "../engine/operations/answers/incidents.ts";

export interface Told {
  readonly destination: string;
  readonly recipient: string | null;
  readonly state: Chapter["told"][number]["state"];
  /** When it arrived or was given up; null: neither yet. */
  readonly at: Instant | null;
  readonly answer: string | null;
}

export function addressesOf(chapters: readonly Chapter[]): Told[] {
  const addresses = new Map<string, Told>();
  for (const { destination, recipient, state, finishedAt, answer } of chapters.flatMap(({ told }) => told)) {
    addresses.set(`${destination} ${recipient ?? ""}`, { destination, recipient, state, at: finishedAt, answer });
  }
  return [...addresses.values()];
}

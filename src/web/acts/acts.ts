// What the forms of pages ask, as the person who sent them: through the table of operations alone, which says what it
// takes. Answers why not, or null.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { Engine } from "../../engine/parts.ts";
import { asActor, type Viewer } from "../viewer.ts";

interface Acting {
  readonly engine: Engine;
  readonly viewer: Viewer;
}

export interface OneJob {
  readonly application: string;
  readonly key: string;
}

export function pause({ engine, viewer }: Acting, { application, key }: OneJob, form: URLSearchParams): Refusal | null {
  const seconds = form.get("seconds") ?? "";
  const durationSeconds = seconds === "" ? null : Number(seconds);
  return refusalIn(engine.operateAs(asActor(viewer), "monitor pause", { application, key, durationSeconds }));
}

export const resume = ({ engine, viewer }: Acting, { application, key }: OneJob): Refusal | null =>
  refusalIn(engine.operateAs(asActor(viewer), "monitor resume", { application, key }));

export const remove = ({ engine, viewer }: Acting, { application, key }: OneJob): Refusal | null =>
  refusalIn(engine.operateAs(asActor(viewer), "monitor delete", { application, key }));

export const onIncident = (
  { engine, viewer }: Acting,
  name: "incident ack" | "incident resolve",
  id: number,
): Refusal | null =>
  Number.isSafeInteger(id)
    ? refusalIn(engine.operateAs(asActor(viewer), name, { id }))
    : refuse("NOT_FOUND", "there is no such incident");

const refusalIn = (answer: object | Refusal): Refusal | null => (isRefusal(answer) ? answer : null);

// Says whether the service is alive and ready, over plain HTTP from anywhere: the answer names no job and no person.

import Type from "typebox";
import { jsonAnswer, jsonHeaders, okAnswer } from "./json-answers.ts";
import { answerBody } from "./json-shapes.ts";

export const HEALTH_PATHS = { live: "/healthz", ready: "/readyz" };

export const well = answerBody(Type.Object({ status: Type.Literal("ok") }))(() => ({ status: "ok" }));

export const notReady = answerBody(
  Type.Object({
    error: Type.Literal("NOT_READY"),
    message: Type.String({ minLength: 1, description: "All troubles, for people." }),
    troubles: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
  }),
)((troubles: readonly string[]) => ({ error: "NOT_READY", message: troubles.join("; "), troubles: [...troubles] }));

export const answerLive = (): Response => okAnswer(well.of({}));

/** Answers 200 when a ping can be recorded and an alert delivered, else 503 with the reasons. */
export const answerReady = (troubles: readonly string[]): Response =>
  troubles.length === 0 ? answerLive() : jsonAnswer(503, notReady.of(troubles), jsonHeaders());

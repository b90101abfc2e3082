// The paths for probes, and that of the document itself, as the OpenAPI document has them. None asks for a key.

import { HEALTH_PATHS, notReady, well } from "../health.ts";
import { bodiless, type Json, jsonResponse, refusals, type Section } from "./parts.ts";

export const TAG = "Service";
const PLAIN = "Also over plain HTTP.";
const READY = "Whether a report can be recorded and an alert delivered";

/** What the document adds for them; `documentPath` is where it is served. */
export const describeHealth = (documentPath: string): Section => ({
  tags: [{ name: TAG, description: "About the service itself; no key is needed." }],
  paths: {
    [HEALTH_PATHS.live]: pathItem("Health", "Whether the service runs", PLAIN, { 200: WELL }, [405, 500]),
    [HEALTH_PATHS.ready]: pathItem("Readiness", READY, PLAIN, { 200: WELL, 503: NOT_READY }, [405, 500]),
    [documentPath]: documentItem([403, 405, 500]),
  },
  components: {},
});

const WELL = jsonResponse("All is well.", well.schema, { well: well.of({}) });

const NOT_READY = jsonResponse("Something is in the way.", notReady.schema, {
  troubled: notReady.of(["no destination can deliver"]),
});

/** A document's own path. `refused`: the statuses that it may also have. */
export const documentItem = (refused: readonly number[]): Json =>
  pathItem("OpenApiDocument", "This document", "OpenAPI 3.1.", { 200: DOCUMENT }, refused);

const DOCUMENT = jsonResponse("The document.", { type: "object" }, {});

/** GET, and HEAD, which has the same answers without their bodies. */
function pathItem(
  name: string,
  summary: string,
  description: string,
  answers: Record<string, ReturnType<typeof jsonResponse>>,
  refused: readonly number[],
): Json {
  const operation = (method: string, responses: Json): Json => ({
    operationId: `${method}${name}`,
    tags: [TAG],
    summary,
    description,
    security: [],
    responses: { ...responses, ...refusals(...refused) },
  });
  const heads = Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, bodiless(answer)]));
  return { get: operation("get", answers), head: operation("head", heads) };
}

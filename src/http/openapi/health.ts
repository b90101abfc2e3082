// The paths for probes, and that of the document itself, as the OpenAPI document has them. None asks for a key.

import { HEALTH_PATHS, notReady, well } from "../health.ts";
import { bodiless, type Json, jsonResponse, type Section } from "./parts.ts";
import { refusals } from "./refusals.ts";

const TAG = "Service";

/** What the document adds for them; `documentPath` is where it is served. */
export const describeHealth = (documentPath: string): Section => ({
  tags: [{ name: TAG, description: "About the service itself; no key is needed." }],
  paths: {
    [HEALTH_PATHS.live]: pathItem(
      "Health",
      "Whether the service runs",
      "Also over plain HTTP.",
      { 200: WELL },
      refusals(405, 500),
    ),
    [HEALTH_PATHS.ready]: pathItem(
      "Readiness",
      "Whether a report can be recorded and an alert delivered",
      "Also over plain HTTP.",
      { 200: WELL, 503: NOT_READY },
      refusals(405, 500),
    ),
    [documentPath]: pathItem(
      "OpenApiDocument",
      "This document",
      "OpenAPI 3.1.",
      { 200: DOCUMENT },
      refusals(403, 405, 500),
    ),
  },
  components: {},
});

const WELL = jsonResponse({
  description: "All is well.",
  schema: well.schema,
  examples: { well: well.of({}) },
});

const NOT_READY = jsonResponse({
  description: "Something is in the way.",
  schema: notReady.schema,
  examples: { troubled: notReady.of(["no destination can deliver"]) },
});

const DOCUMENT = jsonResponse({ description: "The document.", schema: { type: "object" }, examples: {} });

/** GET, and HEAD, which has the same answers without their bodies. */
function pathItem(
  name: string,
  summary: string,
  description: string,
  answers: Record<string, ReturnType<typeof jsonResponse>>,
  refused: Json,
): Json {
  const operation = (method: string, responses: Json): Json => ({
    operationId: `${method}${name}`,
    tags: [TAG],
    summary,
    description,
    security: [],
    responses: { ...responses, ...refused },
  });
  const heads = Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, bodiless(answer)]));
  return { get: operation("get", answers), head: operation("head", heads) };
}

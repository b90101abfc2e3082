// Makes and serves the OpenAPI document of the public interface for jobs and registries, from the tables by which the
// server answers. It also serves the script `/client.sh`.

import { methodResponse } from "../error-responses.ts";
import type { Handler, Routes } from "../handler.ts";
import { EVERY_RESPONSE, okText } from "../json-responses.ts";
import { HEALTH_PATHS, notReady, well } from "../readiness.ts";
import script from "../rollcall-run.sh" with { type: "text" };
import { bodiless, documentOf, type Json, jsonResponse, refusals, type Section } from "./parts.ts";
import { describeSync } from "./sync-document.ts";
import { describeTelemetry } from "./telemetry-document.ts";

export const DOCUMENT_PATH = "/api/v1/openapi.json";

const DESCRIPTION =
  "Scheduled jobs report here when they start, end or fail; rollcall tells its owners when a report stays away. " +
  "The API key stands in the path or in the Authorization header. Fields may be added to any answer, so ignore those " +
  "you do not know. A call must never change what the job does: give up after five seconds and let the job go on.";

const INFO = { title: "rollcall", summary: "Monitoring of scheduled jobs", description: DESCRIPTION };

let text: string | null = null;

export function documentText(): string {
  text ??= JSON.stringify(documentOf(INFO, [describeTelemetry(), describeSync(), describeHealth(DOCUMENT_PATH)]));
  return text;
}

/** The path of a script that reports a job on machines where rollcall itself does not run. */
const SCRIPT_PATH = "/client.sh";

const SCRIPT_HEADERS = { ...EVERY_RESPONSE, "content-type": "text/x-shellscript; charset=utf-8" };

const byGet =
  (respond: () => Response): Handler =>
  ({ method }) =>
    method === "GET" || method === "HEAD" ? respond() : methodResponse(method, "GET, HEAD");

export const documentRoutes: Routes = {
  [DOCUMENT_PATH]: byGet(() => okText(documentText())),
  [SCRIPT_PATH]: byGet(() => new Response(script, { headers: SCRIPT_HEADERS })),
};

export const TAG = "Service";
const PLAIN = "Also over plain HTTP.";
const READY = "Whether a report can be recorded and an alert delivered";

const describeHealth = (documentPath: string): Section => ({
  tags: [{ name: TAG, description: "About the service itself; no key is needed." }],
  paths: {
    [HEALTH_PATHS.live]: pathItem("Health", "Whether the service runs", PLAIN, { 200: WELL }, [405, 500]),
    [HEALTH_PATHS.ready]: pathItem("Readiness", READY, PLAIN, { 200: WELL, 503: NOT_READY }, [405, 500]),
    [documentPath]: documentItem([403, 405, 500]),
    [SCRIPT_PATH]: pathItem(
      "ClientScript",
      "A script that reports a job",
      SCRIPT_USE,
      { 200: SCRIPT },
      [403, 405, 500],
    ),
  },
  components: {},
});

const SCRIPT_USE = "For a shell with curl or wget: `sh client.sh MONITOR -- COMMAND`.";

const SCRIPT = {
  ...jsonResponse("The script.", {}, {}),
  content: { [SCRIPT_HEADERS["content-type"]]: { schema: { type: "string" } } },
};

const WELL = jsonResponse("All is well.", well.schema, { well: well.of({}) });

const NOT_READY = jsonResponse("Something is in the way.", notReady.schema, {
  troubled: notReady.of(["no destination can deliver"]),
});

export const documentItem = (refused: readonly number[]): Json =>
  pathItem("OpenApiDocument", "This document", "OpenAPI 3.1.", { 200: DOCUMENT }, refused);

const DOCUMENT = jsonResponse("The document.", { type: "object" }, {});

/** Describes a path that takes GET and HEAD. HEAD has the same responses, without their bodies. */
function pathItem(
  name: string,
  summary: string,
  description: string,
  responses: Record<string, Parameters<typeof bodiless>[0]>,
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
  const heads = Object.fromEntries(Object.entries(responses).map(([status, response]) => [status, bodiless(response)]));
  return { get: operation("get", responses), head: operation("head", heads) };
}

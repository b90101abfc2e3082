// The OpenAPI document of everything a customer may ask, made when it is first asked for and kept as text. It must
// hold no rule: each section is generated from the tables the server answers by.

import { okText } from "../answers.ts";
import { methodAnswer } from "../errors.ts";
import type { Routes } from "../handler.ts";
import { describeHealth } from "./health.ts";
import { documentOf } from "./parts.ts";
import { describeSync } from "./sync.ts";
import { describeTelemetry } from "./telemetry.ts";

/** Where the document is served, to everybody; HEAD is taken as well as GET. */
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

export const documentRoutes: Routes = {
  [DOCUMENT_PATH]: ({ method }) =>
    method === "GET" || method === "HEAD" ? okText(documentText()) : methodAnswer(method, "GET, HEAD"),
};

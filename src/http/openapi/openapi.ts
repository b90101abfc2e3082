// The OpenAPI document of everything a customer may ask, made when somebody first asks for it and kept as text. It must
// not hold a rule of its own: each section is generated from the tables the server answers by.

import { version } from "../../../package.json" with { type: "json" };
import { okText } from "../answers.ts";
import { methodAnswer } from "../errors.ts";
import type { Routes } from "../handler.ts";
import { describeHealth } from "./health.ts";
import { COMMON_HEADERS, type Components, type Json, type Section } from "./parts.ts";
import { refusalComponents } from "./refusals.ts";
import { describeSync } from "./sync.ts";
import { describeTelemetry } from "./telemetry.ts";

/** Where the document is served, to everybody; HEAD is taken as well as GET. */
export const DOCUMENT_PATH = "/api/v1/openapi.json";

const DESCRIPTION =
  "Scheduled jobs report here when they start, end or fail; rollcall tells its owners when a report stays away. " +
  "The API key stands in the path or in the Authorization header. Fields may be added to any answer, so ignore those " +
  "you do not know. A call must never change what the job does: give up after five seconds and let the job go on.";

function buildDocument(): Json {
  const sections: readonly Section[] = [describeTelemetry(), describeSync(), describeHealth(DOCUMENT_PATH)];
  return {
    openapi: "3.1.1",
    info: { title: "rollcall", version, summary: "Monitoring of scheduled jobs", description: DESCRIPTION },
    servers: [{ url: "/", description: "The service this document came from." }],
    tags: sections.flatMap(({ tags }) => tags),
    paths: Object.assign({}, ...sections.map(({ paths }) => paths)),
    components: joined([
      { headers: COMMON_HEADERS },
      refusalComponents(),
      ...sections.map(({ components }) => components),
    ]),
  };
}

function joined(parts: readonly Components[]): Components {
  const kinds = new Set(parts.flatMap((part) => Object.keys(part) as (keyof Components)[]));
  return Object.fromEntries([...kinds].map((kind) => [kind, Object.assign({}, ...parts.map((part) => part[kind]))]));
}

let text: string | null = null;

/** The document as it is served. */
export function documentText(): string {
  text ??= JSON.stringify(buildDocument());
  return text;
}

/** What answers a request for the document. */
export const documentRoutes: Routes = {
  [DOCUMENT_PATH]: ({ method }) =>
    method === "GET" || method === "HEAD" ? okText(documentText()) : methodAnswer(method, "GET, HEAD"),
};

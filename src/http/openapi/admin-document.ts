// The OpenAPI document of the administrator's API, made from the table of operations when it is first asked for.

import { answerSchemaOf, inputSchemaOf } from "../../engine/operations/json-schema.ts";
import type { Operation } from "../../engine/operations/operation.ts";
import { GROUPS, isOperationName, OPERATIONS } from "../../engine/operations/operations.ts";
import { bodyBytesMaxOf } from "../management/operation-response.ts";
import { ADMIN_DOCUMENT_PATH, ADMIN_PATH, pathNameOf, VIEW_CONTEXT } from "../management/wire.ts";
import { documentItem, TAG } from "./openapi.ts";
import { documentOf, type Json, jsonBody, jsonResponse, refer, refusals, type Section } from "./parts.ts";

const DESCRIPTION =
  "What rollcall's commands ask on its own host, for programs elsewhere. A key is made there, with " +
  "`rollcall admin-key create`; while none works, all of this answers 404. Times are UTC, lengths of time whole " +
  "seconds. A field that is left out or null has its default. Fields may be added to any answer, so ignore those you do " +
  "not know.";

let text: string | null = null;

export function adminDocumentText(): string {
  text ??= JSON.stringify(
    documentOf({ title: "rollcall, for administrators", summary: "Looking and acting", description: DESCRIPTION }, [
      describeOperations(),
    ]),
  );
  return text;
}

const OFFERED = (Object.entries(OPERATIONS) as [string, Operation][]).filter(([, { hostOnly }]) => hostOnly !== true);

function describeOperations(): Section {
  const groups = new Set(OFFERED.map(([name]) => groupOf(name)));
  return {
    tags: [
      ...Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
      { name: TAG, description: "About the interface itself; no key is needed." },
    ].filter(({ name }) => groups.has(name) || name === TAG),
    paths: {
      ...Object.fromEntries(
        OFFERED.map(([name, operation]) => [
          ADMIN_PATH + pathNameOf(name),
          { post: describeOperation(name, operation) },
        ]),
      ),
      [ADMIN_DOCUMENT_PATH]: documentItem([403, 404, 405, 500, 503]),
    },
    components: {
      headers: Object.fromEntries(Object.entries(HEADERS).map(([name, shown]) => [name, { required: true, ...shown }])),
      securitySchemes: {
        adminKey: {
          type: "http",
          scheme: "bearer",
          description: "An administrator's key: `Authorization: Bearer KEY`.",
        },
      },
    },
  };
}

const groupOf = (name: string): string =>
  isOperationName(name) && Object.hasOwn(GROUPS, name) ? name : name.split(" ")[0]!;

const HEADERS: Readonly<Record<(typeof VIEW_CONTEXT)[keyof typeof VIEW_CONTEXT], Json>> = {
  [VIEW_CONTEXT.now]: { description: "The time there.", schema: { type: "string", format: "date-time" } },
  [VIEW_CONTEXT.timezone]: { description: "The server's time zone.", schema: { type: "string" } },
  [VIEW_CONTEXT.onlyApplication]: {
    description: "Whether there is one application alone.",
    schema: { enum: ["true", "false"] },
  },
};

function describeOperation(name: string, operation: Operation): Json {
  const input = inputSchemaOf(operation);
  const scope = operation.effect === "acts" ? "`admin`" : "`read` or `admin`";
  return {
    operationId: name.replaceAll(/[ -]([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    tags: [groupOf(name)],
    summary: operation.summary,
    description: `Takes a key of the scope ${scope}.`,
    security: [{ adminKey: [] }],
    requestBody: {
      description: `At most ${bodyBytesMaxOf(name)} bytes, of any media type; without a body there are no fields.`,
      required: input["required"] !== undefined,
      content: jsonBody(input, {}),
    },
    responses: {
      200: jsonResponse(
        operation.effect === "acts" ? "It was done, and is on disk." : "What there is.",
        answerSchemaOf(operation),
        {},
        Object.fromEntries(Object.keys(HEADERS).map((header) => [header, refer("headers", header)])),
      ),
      ...refusals(400, 401, 402, 403, 404, 405, 413, 429, 500, 503),
    },
  };
}

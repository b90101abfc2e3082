// How other services take a report at an address of theirs, and what they answer (R45): Healthchecks' by what follows
// the address, Uptime Kuma's by its query. Knows neither addresses nor who reports.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { RUN_ID_LENGTH } from "../../domain/limits.ts";
import { EVERY_ANSWER, okAnswer } from "../answers.ts";
import {
  EXIT_STATUS_MAX,
  HEARTBEAT,
  OPERATIONS,
  OPERATIONS_BEHIND_KEY,
  type TelemetryOperation,
} from "./operations.ts";
import { boundedLine } from "./parameter-kinds.ts";
import { type Query, readAsSent, readText } from "./text.ts";

/** How a convention reads a report, and answers one that was accepted. */
export interface ConventionRules {
  /** Whether the body of a fail is what its job wrote last, of whatever type: its clients leave that to curl (R46). */
  readonly bodyIsOutput: boolean;
  /** What it says, or why it says nothing. `action`: the end of its path. */
  read(
    action: string,
    query: Query,
  ):
    | { readonly operation: TelemetryOperation; readonly runId: string | null; readonly message: string | null }
    | Refusal;
  /** `isNew`: it has created its monitor. */
  readonly accepted: (isNew: boolean) => Response;
}

const TEXT_HEADERS = { ...EVERY_ANSWER, "content-type": "text/plain", "access-control-allow-origin": "*" };

const RUN_ID = boundedLine(RUN_ID_LENGTH);

export const HEALTHCHECKS: ConventionRules = {
  bodyIsOutput: true,
  read(action, query) {
    const rid = readText(query, "rid");
    const runId = rid === null || isRefusal(rid) ? rid : RUN_ID.read(rid, "rid");
    if (isRefusal(runId)) return runId;
    const operation = action === "" ? HEARTBEAT : OPERATIONS_BEHIND_KEY.get(plainStatus(action));
    return operation === undefined ? NO_STATUS : { operation, runId, message: operation.fixedMessage };
  },
  accepted: (isNew) =>
    isNew
      ? new Response("Created", { status: 201, headers: TEXT_HEADERS })
      : new Response("OK", { headers: TEXT_HEADERS }),
};

const plainStatus = (action: string): string => action.replace(/^0+(?=\d)/, "");

const NO_STATUS = refuse("INVALID_REQUEST", `exit_status: it must be 0 to ${EXIT_STATUS_MAX}`);

const FAIL = OPERATIONS.get("fail")!;

export const KUMA: ConventionRules = {
  bodyIsOutput: false,
  read(_, query) {
    const status = readAsSent(query, "status");
    if (status === null || status === "" || status === "up")
      return { operation: HEARTBEAT, runId: null, message: null };
    return { operation: FAIL, runId: null, message: readAsSent(query, "msg") || null };
  },
  accepted: () => okAnswer({ ok: true }),
};

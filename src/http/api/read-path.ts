// Reads the path of a report: its monitor, its operation and its API key (R5). A path is split at its slashes before it
// is decoded, because a monitor's key may contain a slash, sent as `%2F`.

import Type from "typebox";
import { formatKey, KEY_PREFIX } from "../../domain/api-key.ts";
import { type Refusal, refuse, refuseField } from "../../domain/errors.ts";
import { MONITOR_KEY_LENGTH } from "../../domain/limits.ts";
import { checkMonitorKey } from "../../domain/monitor-key.ts";
import { hasControl } from "../../domain/text.ts";
import { lineShape } from "../json-shapes.ts";
import { decodePercentEncoding } from "../request-target.ts";
import type { TelemetryOperation } from "./telemetry-operations.ts";
import { EXIT_STATUS_MAX, HEARTBEAT, OPERATIONS, OPERATIONS_BEHIND_KEY } from "./telemetry-operations.ts";

export interface Address {
  readonly monitorKey: string;
  readonly operation: TelemetryOperation;
  /**
   * The text in the path where the API key belongs; `null` when the path has none and the Authorization header counts.
   */
  readonly pathKey: string | null;
}

/**
 * The segments of a path that differ from request to request, under the names that they have in the OpenAPI document.
 */
export const PATH_PARAMETERS = {
  MonitorKey: {
    name: "monitor_key",
    description:
      "Which monitor, compared exactly. Percent-encode it; `%2F` is then part of the key. `.` and `..` are refused.",
    schema: lineShape(MONITOR_KEY_LENGTH, { minLength: 1 }),
    example: "nightly-backup",
  },
  ApiKey: {
    name: "api_key",
    description: "The application's API key; it wins over an Authorization header.",
    schema: Type.String({ pattern: `^${KEY_PREFIX}` }),
    example: formatKey("prod", "0123456789abcdefghijklmnopqrstuv"),
  },
  ExitStatus: {
    name: "exit_status",
    description:
      "The exit status of the job: 0 is a heartbeat, everything else a failure with the message `exit status N`.",
    schema: Type.Integer({ minimum: 0, maximum: EXIT_STATUS_MAX }),
    example: 1,
  },
};

export const NO_SUCH_PATH = refuse("NOT_FOUND", "there is no such path");

const NO_SUCH_OPERATION = refuse(
  "NOT_FOUND",
  `there is no such path, write ping/MONITOR/KEY, and behind it start, complete, fail, log or an exit status from 0 to ${EXIT_STATUS_MAX}`,
);

export const REFUSED_DOTS = refuseField(
  "monitor_key",
  '"." and ".." mean a place in a path and are taken out of it on the way, no segment may be one of them',
);

export const SEGMENTS_MAX = 3;

/**
 * How many segments of a path are read. Two more than a path may have are enough to see that it is too long, even if it
 * ends with a slash. So a path of thousands of segments takes no more time.
 */
const SEGMENTS_READ = SEGMENTS_MAX + 2;

/**
 * How many characters the key of a monitor may have as it was sent. Encoding makes at most twelve of one code point, so
 * a longer text is too long in any case.
 */
const ENCODED_KEY_LENGTH = 12 * MONITOR_KEY_LENGTH;

/**
 * Returns what the path of a report names, or why it is refused: with 400 when a segment is no UTF-8 or no monitor may
 * have such a key, with 404 when no path of a report has such segments. `tail` is the path after `/ping/`, still
 * encoded. The server has taken its dot segments (`.`, `..`) out; `sent` is how many segments the path had with them.
 * `sent` is `null` when a segment was empty, or when there were more than `SEGMENTS_MAX`.
 */
export function readAddress(tail: string, sent: number | null, headers: Headers): Address | Refusal {
  const segments = tail.split("/", SEGMENTS_READ);
  if (segments.at(-1) === "") segments.pop();
  if (hadDots(segments, sent)) return REFUSED_DOTS;
  for (let index = 0; index < segments.length; index++) {
    const segment = segments[index]!;
    if (!segment.includes("%") || (index === 0 && segment.length > ENCODED_KEY_LENGTH)) continue;
    const text = decodePercentEncoding(segment);
    // Bun has replaced bytes that are not UTF-8 by U+FFFD. Different keys of monitors may now read the same, and two
    // monitors must not become one. So this character is refused, even if the client sent it as such.
    if (text === null || text.includes("\ufffd"))
      return refuseSegment(index, "is not UTF-8, percent-encode it as UTF-8");
    if (hasControl(text)) return refuseSegment(index, "has a control character, which no segment may have");
    segments[index] = text;
  }

  const [monitorKey = "", second, third] = segments;
  if (monitorKey === "" && second === undefined) return NO_SUCH_PATH;
  const refusal = checkMonitorKey("monitor_key", monitorKey);
  if (refusal !== null) return refusal;

  if (second === undefined) return { monitorKey, operation: HEARTBEAT, pathKey: null };
  const operation = OPERATIONS.get(second);
  if (operation !== undefined) {
    return segments.length === 2 ? { monitorKey, operation, pathKey: null } : NO_SUCH_OPERATION;
  }
  if (!second.startsWith(KEY_PREFIX)) {
    // The second segment is no operation and no key. With an Authorization header that gives 404, because there is no
    // such path. Without one the segment is taken for a wrong key, which gives 401.
    return headers.has("authorization") ? NO_SUCH_OPERATION : { monitorKey, operation: HEARTBEAT, pathKey: second };
  }
  if (third === undefined) return { monitorKey, operation: HEARTBEAT, pathKey: second };
  const behindKey = segments.length === 3 ? OPERATIONS_BEHIND_KEY.get(third) : undefined;
  return behindKey === undefined ? NO_SUCH_OPERATION : { monitorKey, operation: behindKey, pathKey: second };
}

/**
 * Returns what a refused path still names: the key of a monitor, "" when that is not valid; and the API key, `null`
 * when there is none.
 */
export function namedInRefusedPath(tail: string): Pick<Address, "monitorKey" | "pathKey"> {
  const first = segmentAt(tail, 0);
  if (first.startsWith(KEY_PREFIX)) return { monitorKey: "", pathKey: first };
  const slash = tail.indexOf(`/${KEY_PREFIX}`);
  const pathKey = slash < 0 ? null : segmentAt(tail, slash + 1);
  const monitorKey = first.length > ENCODED_KEY_LENGTH ? "" : (decodePercentEncoding(first) ?? "");
  return { monitorKey: checkMonitorKey("monitor_key", monitorKey) === null ? monitorKey : "", pathKey };
}

function segmentAt(tail: string, from: number): string {
  const slash = tail.indexOf("/", from);
  return slash < 0 ? tail.slice(from) : tail.slice(from, slash);
}

/** Whether dot segments (`.`, `..`) were removed from the path. If none were, it has as many segments as were sent. */
const hadDots = (segments: readonly string[], sent: number | null): boolean =>
  sent === null
    ? segments.length > 0 && segments.length <= SEGMENTS_MAX && !segments.includes("")
    : segments.length !== sent;

const refuseSegment = (index: number, problem: string): Refusal =>
  refuseField(index === 0 ? "monitor_key" : `path segment ${index + 1} behind /ping`, `it ${problem}`);

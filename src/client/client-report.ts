// Declares a job's report, and makes the request that sends it.

import { ageSeconds, type Moment } from "./client-moment.ts";

/** A report, as the files of the spool hold it while it waits. It has no API key. */
export interface Report {
  readonly monitor: string;
  readonly kind: "start" | "complete" | "fail";
  /** The parameters of the query, under the names that the contract gives them. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The outcomes of a complete; `null` when there are none. */
  readonly outcomes: Readonly<Record<string, number | boolean>> | null;
  /** The last lines that a failed job wrote (R46); `null` when there are none, absent in files of earlier versions. */
  readonly output?: string | null;
  /** With this key the server counts the report once, however often it is sent. */
  readonly idempotencyKey: string;
  readonly happened: Moment;
}

const KINDS_IN_WORDS = { start: "start", complete: "success", fail: "failure" } as const satisfies Record<
  Report["kind"],
  string
>;

export const nameOfReport = ({ kind, monitor }: Pick<Report, "kind" | "monitor">): string =>
  `the ${KINDS_IN_WORDS[kind]} of ${monitor}`;

/**
 * Whether a URL can name this monitor. It cannot when the key is `.` or `..`: however these are encoded, they lead to
 * another path.
 */
export const isReportableMonitor = (monitor: string): boolean =>
  monitor.isWellFormed() && monitor !== "." && monitor !== "..";

export interface ReportServer {
  readonly url: string;
  readonly key: string;
  /**
   * The certificate authority, as PEM, that is trusted instead of the system's; `null` when the system's are trusted.
   */
  readonly authority: string | null;
}

/**
 * Makes the request that sends a report. The API key goes into a header and not into the address, because proxies write
 * addresses into their logs.
 */
export function requestOf(report: Report, { url, key }: ReportServer, now: Moment, userAgent: string): Request {
  const age = ageSeconds(report.happened, now);
  const body = reportBody(report);
  const query = new URLSearchParams({ ...report.parameters, ...(age > 0 ? { age: `${age}` } : {}) });
  return new Request(`${url}/api/v1/ping/${encodeURIComponent(report.monitor)}/${report.kind}?${query}`, {
    method: "POST",
    // A redirect could bring the API key to another server.
    redirect: "manual",
    headers: {
      authorization: `Basic ${btoa(`${key}:`)}`,
      "idempotency-key": report.idempotencyKey,
      "user-agent": userAgent,
      "accept-encoding": "identity",
      ...body?.headers,
    },
    body: body?.text ?? null,
  });
}

/**
 * Returns the body of the request: the outcomes, or the output; `null` when the report has neither. The output is
 * always sent, because a server that keeps none ignores it.
 */
function reportBody({ outcomes, output = null }: Report) {
  if (outcomes !== null) return { headers: { "content-type": "application/json" }, text: JSON.stringify({ outcomes }) };
  return output === null ? null : { headers: { "content-type": "text/plain; charset=utf-8" }, text: output };
}

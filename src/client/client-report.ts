// A job's report, and the request that sends it. This file sends nothing.

import { ageSeconds, type Moment } from "./client-moment.ts";

/** A report in the form of the spool's files; it holds no key. */
export interface Report {
  readonly monitor: string;
  readonly kind: "start" | "complete" | "fail";
  /** The parameters of the report's query, under the contract's names. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The outcomes of a complete; `null` when there are none. */
  readonly outcomes: Readonly<Record<string, number | boolean>> | null;
  /**
   * The last lines that a failed job wrote (R46); `null` when there are none, and absent in files of earlier versions.
   */
  readonly output?: string | null;
  /** The key by which the server counts the report once, however often it is sent. */
  readonly idempotencyKey: string;
  readonly happened: Moment;
}

const KINDS_IN_WORDS = { start: "start", complete: "success", fail: "failure" } as const satisfies Record<
  Report["kind"],
  string
>;

export const nameOfReport = ({ kind, monitor }: Pick<Report, "kind" | "monitor">): string =>
  `the ${KINDS_IN_WORDS[kind]} of ${monitor}`;

/** Whether an address can name this monitor. `.` and `..` lead to another address in every encoding. */
export const isAddressable = (monitor: string): boolean =>
  monitor.isWellFormed() && monitor !== "." && monitor !== "..";

export interface ReportServer {
  readonly url: string;
  readonly key: string;
  /** A certificate authority, as PEM, that is trusted instead; `null` when those of the system are. */
  readonly authority: string | null;
}

/** The key goes into a header, because addresses are written into the logs of proxies. */
export function requestOf(report: Report, { url, key }: ReportServer, now: Moment, userAgent: string): Request {
  const age = ageSeconds(report.happened, now);
  const body = reportBody(report);
  const query = new URLSearchParams({ ...report.parameters, ...(age > 0 ? { age: `${age}` } : {}) });
  return new Request(`${url}/api/v1/ping/${encodeURIComponent(report.monitor)}/${report.kind}?${query}`, {
    method: "POST",
    // A redirect is not followed, because another server must not get the key.
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

/** A server that keeps no output ignores the body, so it need not be asked whether it does. */
function reportBody({ outcomes, output = null }: Report) {
  if (outcomes !== null) return { headers: { "content-type": "application/json" }, text: JSON.stringify({ outcomes }) };
  return output === null ? null : { headers: { "content-type": "text/plain; charset=utf-8" }, text: output };
}

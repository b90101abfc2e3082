// What a job tells the server, and the request that tells it. Sends nothing.

import { ageSeconds, type Moment } from "./client-moment.ts";

/** As the spool's files have it; it holds no key. */
export interface Report {
  readonly monitor: string;
  readonly kind: "start" | "complete" | "fail";
  /** The parameters of its query, under the contract's names. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Of a complete alone; null: none. */
  readonly outcomes: Readonly<Record<string, number | boolean>> | null;
  /** Of a fail alone: what its job wrote last (R46); null or, in files of earlier versions, absent: none. */
  readonly output?: string | null;
  /** However often it is sent, it counts once. */
  readonly idempotencyKey: string;
  readonly happened: Moment;
}

const KINDS_IN_WORDS = { start: "start", complete: "success", fail: "failure" } as const satisfies Record<
  Report["kind"],
  string
>;

export const nameOfReport = ({ kind, monitor }: Pick<Report, "kind" | "monitor">): string =>
  `the ${KINDS_IN_WORDS[kind]} of ${monitor}`;

/** Whether an address can name this monitor. In every form, `.` and `..` lead to another one. */
export const isAddressable = (monitor: string): boolean =>
  monitor.isWellFormed() && monitor !== "." && monitor !== "..";

export interface ReportServer {
  readonly url: string;
  readonly key: string;
  /** A certificate authority of one's own, as PEM; null: those of the system. */
  readonly authority: string | null;
}

/** The key goes into a header: addresses stand in the logs of proxies. */
export function requestOf(report: Report, { url, key }: ReportServer, now: Moment, userAgent: string): Request {
  const age = ageSeconds(report.happened, now);
  const body = bodyOf(report);
  const query = new URLSearchParams({ ...report.parameters, ...(age > 0 ? { age: `${age}` } : {}) });
  return new Request(`${url}/api/v1/ping/${encodeURIComponent(report.monitor)}/${report.kind}?${query}`, {
    method: "POST",
    // Another server must not get the key.
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

/** A server that keeps no output ignores it, so it need not be asked whether it does. */
function bodyOf({ outcomes, output = null }: Report) {
  if (outcomes !== null) return { headers: { "content-type": "application/json" }, text: JSON.stringify({ outcomes }) };
  return output === null ? null : { headers: { "content-type": "text/plain; charset=utf-8" }, text: output };
}

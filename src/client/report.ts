// What a job tells the server, and the request that tells it. Sends nothing.

import { ageSeconds, type Moment } from "./moment.ts";

/** As it stands in the spool's files; it holds no key. */
export interface Report {
  readonly monitor: string;
  readonly kind: "start" | "complete" | "fail";
  /** The parameters of its query, under the contract's names. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Of a complete alone; null: none. */
  readonly outcomes: Readonly<Record<string, number | boolean>> | null;
  /** However often it is sent, it counts once. */
  readonly idempotencyKey: string;
  readonly happened: Moment;
}

/** Where reports go, and by which key. */
export interface Server {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string;
  /** A certificate authority of one's own, as PEM; null: those of the system. */
  readonly authority: string | null;
}

/** The key goes into a header: addresses stand in the logs of proxies. */
export function requestOf(report: Report, { url, key }: Server, now: Moment, userAgent: string): Request {
  const age = ageSeconds(report.happened, now);
  const query = new URLSearchParams({ ...report.parameters, ...(age > 0 ? { age: `${age}` } : {}) });
  return new Request(`${url}/api/v1/ping/${encodeURIComponent(report.monitor)}/${report.kind}?${query}`, {
    method: "POST",
    // Somebody else's server must not get the key.
    redirect: "manual",
    headers: {
      authorization: `Basic ${btoa(`${key}:`)}`,
      "idempotency-key": report.idempotencyKey,
      "user-agent": userAgent,
      ...(report.outcomes === null ? {} : { "content-type": "application/json" }),
    },
    body: report.outcomes === null ? null : JSON.stringify({ outcomes: report.outcomes }),
  });
}

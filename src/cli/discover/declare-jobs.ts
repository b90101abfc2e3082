// Declares the jobs of this machine by one bulk sync. It sends nothing of their commands, which may hold secrets.

import type { ReportServer } from "../../client/client-report.ts";
import type { Job } from "../../discover/discover.ts";
import { errorMessage } from "../../domain/errors.ts";
import { failureOnTheWay, statusOnTheWay } from "../../domain/proxy.ts";
import { durationText } from "../../domain/time.ts";
import { codeOf } from "../../domain/unless-missing.ts";
import { VERSION } from "../executable.ts";

const ANSWER_WITHIN = 30_000;

export type SyncedJobs = ReturnType<typeof syncedOf>;

/**
 * Declares the jobs. `monitors` is the whole list of this source. It never throws: it returns a text that says why
 * nothing was declared.
 */
export async function syncJobs(
  server: ReportServer,
  source: string,
  monitors: readonly Pick<ReturnType<typeof declarationOf>, "key">[],
): Promise<SyncedJobs | string> {
  let response: Response;
  let said: Record<string, unknown>;
  const address = server.url;
  try {
    response = await fetch(`${server.url}/api/v1/sync`, {
      method: "POST",
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_WITHIN),
      headers: { authorization: `Basic ${btoa(`${server.key}:`)}`, "content-type": "application/json" },
      body: JSON.stringify({ source, version: VERSION, mode: "reconcile", monitors }),
      ...(server.authority === null ? {} : { tls: { ca: server.authority } }),
    });
    const byProxy = statusOnTheWay(response.status, address, process.env);
    if (byProxy !== null) return `${address} cannot be reached: HTTP ${response.status}, ${byProxy}`;
    said = JSON.parse(await response.text());
  } catch (error) {
    const why = failureOnTheWay({ code: codeOf(error) ?? "", message: errorMessage(error) }, address, process.env);
    if (why !== null) return `${address} cannot be reached: ${why}`;
    return `${address} does not answer as rollcall does: ${errorMessage(error)}`;
  }
  if (response.ok && Array.isArray(said["created"]) && Array.isArray(said["errors"])) return syncedOf(said);
  const advice =
    said["error"] === "ACCESS_DENIED" ? "; this call needs a key of scope all or sync, in ROLLCALL_KEY" : "";
  return `${server.url} answered ${response.status}: ${String(said["message"] ?? "not as rollcall does")}${advice}`;
}

/** What the server did. `removed` are the monitors that it has paused, because the list no longer has them. */
function syncedOf(said: Readonly<Record<string, unknown>>) {
  const list = (name: string): readonly Record<string, unknown>[] => (Array.isArray(said[name]) ? said[name] : []);
  const keys = (name: string): string[] => list(name).map(({ key }) => String(key));
  const errors = list("errors").map(({ key, error }) => ({ key: String(key), error: String(error) }));
  const warning = typeof said["warning"] === "string" ? said["warning"] : null;
  return { removed: keys("removed"), errors, warning };
}

/**
 * How many seconds late a report may come, beyond what its scheduler waits: for a busy machine, or a network that is
 * away.
 */
const GRACE_SECONDS = 300;

export const graceOf = ({ delaySeconds }: Job): number => GRACE_SECONDS + delaySeconds;

export const declarationOf = (job: Job, host: string) => ({
  key: job.key,
  ...(job.schedule === null ? {} : { schedule: job.schedule }),
  ...(job.everySeconds === null ? {} : { every: durationText(job.everySeconds) }),
  ...(job.timezone === null ? {} : { timezone: job.timezone }),
  gracePeriod: graceOf(job),
  // Alerts show these facts. A field that is `undefined` is not sent.
  metadata: { host, user: job.user, where: job.where.replace(/:\d+$/, ""), unit: job.unit },
});

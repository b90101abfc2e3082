// Declares the jobs of this machine to the server, all in one request. Their commands are not sent, because they may
// hold secrets.

import type { ReportServer } from "../../client/client-report.ts";
import type { Job } from "../../discover/discover.ts";
import { errorMessage } from "../../domain/errors.ts";
import { proxyStatusInWords, requestFailureInWords } from "../../domain/proxy.ts";
import { durationText } from "../../domain/time.ts";
import { codeOf } from "../../domain/unless-missing.ts";
import { VERSION } from "../executable.ts";

const ANSWER_WITHIN = 30_000;

export type SyncedJobs = ReturnType<typeof syncedOf>;

/**
 * Declares the jobs to the server by a bulk sync. `monitors` must be the whole list, because the server pauses jobs
 * that are not in it. This never throws: it returns what the server did, or a text that says why nothing was declared.
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
    const byProxy = proxyStatusInWords(response.status, address, process.env);
    if (byProxy !== null) return `${address} cannot be reached: HTTP ${response.status}, ${byProxy}`;
    said = JSON.parse(await response.text());
  } catch (error) {
    const why = requestFailureInWords(
      { code: codeOf(error) ?? "", message: errorMessage(error) },
      address,
      process.env,
    );
    if (why !== null) return `${address} cannot be reached: ${why}`;
    return `${address} does not answer as rollcall does: ${errorMessage(error)}`;
  }
  if (response.ok && Array.isArray(said["created"]) && Array.isArray(said["errors"])) return syncedOf(said);
  const advice =
    said["error"] === "ACCESS_DENIED" ? "; this call needs a key of scope all or sync, in ROLLCALL_KEY" : "";
  return `${server.url} answered ${response.status}: ${String(said["message"] ?? "not as rollcall does")}${advice}`;
}

/**
 * Returns what the server did, from its response. `removed` are the monitors that the server has paused, because they
 * are not in the declared list.
 */
function syncedOf(said: Readonly<Record<string, unknown>>) {
  const list = (name: string): readonly Record<string, unknown>[] => (Array.isArray(said[name]) ? said[name] : []);
  const keys = (name: string): string[] => list(name).map(({ key }) => String(key));
  const errors = list("errors").map(({ key, error }) => ({ key: String(key), error: String(error) }));
  const warning = typeof said["warning"] === "string" ? said["warning"] : null;
  return { removed: keys("removed"), errors, warning };
}

/**
 * How many seconds late a report may be, if the machine is busy or the network is away. The time that the scheduler
 * itself may wait is added to these seconds.
 */
const GRACE_SECONDS = 300;

export const declaredGraceOf = ({ delaySeconds }: Job): number => GRACE_SECONDS + delaySeconds;

export const declarationOf = (job: Job, host: string) => ({
  key: job.key,
  ...(job.schedule === null ? {} : { schedule: job.schedule }),
  ...(job.everySeconds === null ? {} : { every: durationText(job.everySeconds) }),
  ...(job.timezone === null ? {} : { timezone: job.timezone }),
  gracePeriod: declaredGraceOf(job),
  // Alerts show these facts. JSON leaves out a field that is `undefined`.
  metadata: { host, user: job.user, where: job.where.replace(/:\d+$/, ""), unit: job.unit },
});

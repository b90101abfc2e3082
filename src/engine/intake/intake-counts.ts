// What came in since the start, in plain numbers for `/metrics`: a report costs one addition here. Remembers nothing of
// any report.

import { createDistribution, type Distribution } from "../../domain/distribution.ts";
import { isRefusal } from "../../domain/errors.ts";
import { SECOND } from "../../domain/time.ts";
import type { Ping } from "../api.ts";
import type { Ingested } from "./ingest.ts";

/** What an accepted report was; `repeat`: the repeat of one that had been accepted before (R11). */
export const REPORT_KINDS = ["heartbeat", "start", "complete", "fail", "log", "repeat"] as const;

export type ReportKind = (typeof REPORT_KINDS)[number];

export interface SeenIntake {
  readonly reports: Readonly<Record<ReportKind, number>>;
  readonly batchReports: Distribution;
  /** Seconds from the beginning of a transaction with reports until it was on disk. */
  readonly batchSeconds: Distribution;
}

const BATCH_REPORTS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];
const BATCH_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export function createIntakeCounts() {
  const reports = Object.fromEntries(REPORT_KINDS.map((kind) => [kind, 0])) as Record<ReportKind, number>;
  const batchReports = createDistribution(BATCH_REPORTS);
  const batchSeconds = createDistribution(BATCH_SECONDS);
  return {
    /** A batch has been committed; it took this number of milliseconds. */
    committed: (pings: readonly { readonly ping: Ping }[], results: readonly Ingested[], took: number): void => {
      for (let place = 0; place < results.length; place++) {
        const { answer, afterCommit } = results[place]!;
        if (isRefusal(answer)) continue;
        reports[afterCommit === null ? "repeat" : pings[place]!.ping.kind]++;
      }
      batchReports.note(results.length);
      batchSeconds.note(took / SECOND);
    },
    seen: () => ({ reports: { ...reports }, batchReports: batchReports.seen(), batchSeconds: batchSeconds.seen() }),
  };
}

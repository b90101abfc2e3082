// Says what jobs are doing now, in one sentence each, for cards, headlines, lists and commands.

import { statusOf } from "../domain/monitor/monitor.ts";
import { dueTimesOf } from "../domain/monitor/window.ts";
import { LATELY, OFTEN, type TroubledLately } from "../domain/telling/flapping.ts";
import type { Instant } from "../domain/time.ts";
import { sentenceNow, type WordedPart } from "../domain/wording/now.ts";
import type { JobNow } from "../domain/wording/types.ts";
import type { UnendedRun } from "../store/spans.ts";
import { policyOfOutline } from "./completed-monitors.ts";
import { pausesIn } from "./monitor-summaries.ts";
import type { MonitorReads } from "./view-source.ts";

/**
 * The sentence about what each of these monitors is doing now, by id. For a monitor that cannot be read, the sentence
 * says so. The number of queries does not grow with the number of monitors.
 */
export function sentencesNow(
  { store, policy }: MonitorReads,
  ids: readonly number[],
  now: Instant,
): ReadonlyMap<number, readonly WordedPart[]> {
  const runs = Map.groupBy(store.spans.openRuns(ids, now + 1), ({ monitorId }) => monitorId);
  const outlines = store.monitorPages.outlines(ids).filter(({ readable }) => readable);
  const open = outlines.flatMap(({ incident }) => incident ?? []);
  const incidents = new Map(store.incidents.list(open).map(({ id, incident }) => [id, incident]));
  const lately = troubledLately({ store }, ids, now);
  const sentences = new Map<number, readonly WordedPart[]>(ids.map((id) => [id, UNREADABLE]));
  for (const outline of outlines) {
    const { id, timezone, graceSeconds, misses, failures, unheard, lastRunMs } = outline;
    const job: JobNow = {
      status: statusOf(outline, now),
      timezone,
      ...dueTimesOf(outline, now),
      graceSeconds,
      lastPingAt: outline.receivedAt,
      lastSuccessAt: outline.succeededAt,
      lastFailureAt: outline.failedAt,
      misses,
      failures,
      unheard,
      pauses: pausesIn(policyOfOutline(policy, outline), outline),
      incident: outline.incident === null ? null : (incidents.get(outline.incident) ?? null),
      run: newestRun(runs.get(id) ?? []),
      lastRunMs,
      lately: lately.get(id) ?? null,
    };
    sentences.set(id, sentenceNow(job, now));
  }
  return sentences;
}

/**
 * Returns, by id, those of these monitors that came into trouble at least `OFTEN` times in the last day (`LATELY`).
 * Takes one query.
 */
export const troubledLately = (
  { store }: Pick<MonitorReads, "store">,
  ids: readonly number[],
  now: Instant,
): ReadonlyMap<number, TroubledLately> =>
  new Map(
    store.troubles
      .openedSince(ids, now - LATELY)
      .flatMap(({ monitorId, times, since }) => (times < OFTEN ? [] : [[monitorId, { times, since }] as const])),
  );

const UNREADABLE: readonly WordedPart[] = [{ text: "cannot be read: rollcall's log says why", at: null, as: null }];

export const newestRun = (runs: readonly UnendedRun[]): UnendedRun | null =>
  runs.reduce<UnendedRun | null>(
    (newest, run) => ((newest?.startedAt ?? -1) > (run.startedAt ?? 0) ? newest : run),
    null,
  );

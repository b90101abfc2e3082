// The way of reports into the engine: checks keys, puts reports into batches, and commits each batch in one
// transaction. Refused reports and bulk syncs enter here too. The HTTP server calls `intake`, which engine.ts makes.

import { createDistribution, type Distribution } from "../../domain/distribution.ts";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { isLateReport } from "../../domain/monitor/late.ts";
import type { OldAddress } from "../../domain/old-address.ts";
import type { OutputRules } from "../../domain/output/kept-output.ts";
import { hiderOf } from "../../domain/output/patterns.ts";
import { MONITORS_COUNTED } from "../../domain/rate-limit.ts";
import type { Policy } from "../../domain/settings/policy.ts";
import { DAMAGE_WORDS, isDamage } from "../../domain/storage-fault.ts";
import { type Instant, SECOND } from "../../domain/time.ts";
import type { Caller, Ping, PingAnswer, RefusedPing } from "../api.ts";
import type { MonitorMemory } from "../clock/monitor-memory.ts";
import { addOldAddress } from "../keep-old-addresses.ts";
import type { Keyring } from "../keyring.ts";
import { createBatcher } from "./batcher.ts";
import { type Ingested, type IntakeTools, ingestPing, ingestRateLimited, refusedByLimit } from "./ingest.ts";
import { createRefusedReports } from "./note-refused.ts";
import { createSenders } from "./senders.ts";
import { createSync } from "./take-sync.ts";

const BATCH_LIMIT = 2_000;

const NOT_PROCESSED = refuse("INTERNAL_ERROR", "the report could not be processed");
const NOT_READ = refuse("STORAGE_UNAVAILABLE", `${DAMAGE_WORDS}; the report was not recorded, send it again`);
const NOT_STORED = refuse("STORAGE_UNAVAILABLE", "the report could not be stored; it was not recorded, send it again");

interface Arrival {
  readonly ping: Ping;
  readonly at: Instant;
  /** The rate limit that refused the report, such as `limits.v1_per_minute`; `null` when none did. */
  readonly refusedBy: string | null;
}

interface IntakeParts extends IntakeTools {
  readonly keyring: Keyring;
  readonly memory: MonitorMemory;
  readonly schedule: (run: () => void) => void;
}

/**
 * The way of a report, file by file:
 * 1. `../keyring.ts` finds the owner of its key; `senders.ts` notes where it came from.
 * 2. `batcher.ts` gathers what arrived in a turn of the event loop; `../committer.ts` makes one transaction of it.
 * 3. `ingest.ts` finds or creates the monitor and makes the signals; `../decide.ts` asks the domain what they mean.
 * 4. `../record.ts` saves the decision: facts, report, run, incident, alerts and their deliveries.
 * 5. After the commit `../clock/monitor-memory.ts` arms the wheel, and passes the alerts to `../outbox/announce.ts`.
 * 6. The report is counted for `/metrics`.
 *
 * A refused report takes another way: `refusals.ts` counts it in memory. `note-refused.ts` writes it and tells people.
 */
export function createIntake(parts: IntakeParts) {
  const { context, committer, keyring, background } = parts;
  const refusedReports = createRefusedReports(parts);
  const senders = createSenders(parts);
  const { ingest, rateLimited, flush, seen } = createCommitting(parts, refusedReports.note);

  function lookUp<Found>(find: () => Found): Found | Refusal {
    try {
      return find();
    } catch (error) {
      committer.lost(error);
      return NOT_STORED;
    }
  }

  const intake = {
    authenticate: (key: string) => lookUp(() => keyring.authenticate(key)),
    /** Counts a report that was refused because it came over plain HTTP. `network` is where it came from. */
    plainRefused: (network: string): void => context.plainRefusals.note(network, parts.clock.now()),
    hasOldAddresses: keyring.hasOldAddresses,
    atOldAddress: (path: string) => lookUp(() => keyring.atOldAddress(path)),
    keepAddress: createAddressKeeper(parts),
    // Returns the revoked key or address of another service with this secret; `null` when there is none. On an error it
    // returns `null` too, so the secret is treated like one that never existed.
    revokedKey: (secret: string) => unlessThrown(() => keyring.revoked(secret), null),
    /**
     * Returns the schedules and intervals of the application's monitors, from which its rate limits are computed. At
     * most MONITORS_COUNTED monitors are read, because more do not change the limits. Returns none when the database
     * cannot be read, since no report can be stored then either.
     */
    rhythmsOf: (id: number) => unlessThrown(() => context.store.monitors.rhythms(id, MONITORS_COUNTED), []),
    heardFrom: senders.note,
    /**
     * Returns what to hide in messages and output of this application's jobs, and whether output is stored at all.
     * `null` means that nothing is hidden and no output is stored (R46).
     */
    outputRules: ({ application }: Caller) => outputRulesOf(context.policy, application),
    ingest,
    rateLimited,
    refused: refusedReports.note,
    sync: createSync({ ...parts, flush }),
  };

  return {
    intake,
    flush,
    seen,
    takeUnstored: refusedReports.takeUnstored,
    start: (now: Instant): void => context.refusals.start(now),
    /**
     * Writes refused reports and tells people of them, and writes where reports came from, when it is time. Must be
     * called once a second. `storageNewsFollow` tells whether a notice that storage works again is still to come; it
     * will name the fails that could not be stored.
     */
    review: (now: Instant, storageNewsFollow: () => boolean): void => {
      refusedReports.review(now, storageNewsFollow);
      background.later(senders.review);
    },
    save: senders.save,
  };
}

function unlessThrown<Found>(find: () => Found, otherwise: Found): Found {
  try {
    return find();
  } catch {
    return otherwise;
  }
}

function createCommitting(parts: IntakeParts, noteRefused: (refused: RefusedPing) => void) {
  const { context, clock, committer, memory, log, schedule } = parts;
  const { refusals } = context;
  const counts = createIntakeCounts();
  const batcher = createBatcher<Arrival, PingAnswer>({
    commit,
    failed: (arrivals) => noteUnstored(arrivals, NOT_STORED),
    schedule,
    limit: BATCH_LIMIT,
  });

  function commit(arrivals: readonly Arrival[]): PingAnswer[] {
    const startedAt = clock.monotonic();
    const results = committer.all<Arrival, Ingested>(arrivals, take, thrown, arrivals[0]!.at);
    counts.committed(arrivals, results, clock.monotonic() - startedAt);
    // These reports could not be stored, because their monitors lie in a damaged page. The other reports of the batch
    // are stored.
    const unread = arrivals.filter((_, index) => results[index]!.answer === NOT_READ);
    if (unread[0] !== undefined) committer.unheard(unread[0].at);
    noteUnstored(unread, NOT_READ);
    for (const { remember } of results) remember?.();
    memory.finish(results.map(({ afterCommit }) => afterCommit));
    return results.map(({ answer }) => answer);
  }

  const take = ({ ping, at, refusedBy }: Arrival): Ingested =>
    refusedBy === null ? ingestPing(context, ping, at) : ingestRateLimited(context, ping, at, refusedBy);

  /**
   * Notes reports that could not be stored, so that people hear later of the fails (reports of a failed job) among them
   * (R26).
   */
  function noteUnstored(arrivals: readonly Arrival[], refusal: Refusal): Refusal {
    for (const { ping, refusedBy } of arrivals) {
      // A late report is not noted, because its client keeps it and sends it again until it is accepted.
      if (refusedBy === null && !isLateReport(ping)) noteRefused({ ...ping, refusal });
    }
    return refusal;
  }

  function thrown({ ping }: Arrival, error: unknown): Ingested {
    const { application } = ping.caller;
    log("error", "ping_failed", { application, monitor: ping.monitorKey, error });
    return { answer: isDamage(error) ? NOT_READ : NOT_PROCESSED, afterCommit: null };
  }

  return {
    /** The promise resolves after the commit, with the receipt or the refusal of the report. It never rejects. */
    ingest: (ping: Ping) => batcher.submit({ ping, at: clock.now(), refusedBy: null }),
    /** Notes a report that the limit `setting` refused: it changes nothing but shows that the job is alive (R26). */
    rateLimited: (ping: Ping, setting: string): void => {
      // A late report tells of an earlier event, so it does not show that the job is alive now. Nothing is noted: its
      // client will send it again.
      if (isLateReport(ping)) return;
      const at = clock.now();
      if (!refusals.isQuiet(ping, at)) void batcher.submit({ ping, at, refusedBy: setting });
      // The report is over the rate limit. If an earlier refused report of this minute has already shown that the job
      // is alive, this one is only counted among the refused reports.
      else if (refusals.settingThatRefused(ping.caller.applicationId, ping.monitorKey, at) !== null)
        noteRefused(refusedByLimit(ping, setting));
    },
    flush: batcher.flush,
    seen: counts.seen,
  };
}

// Below: stores the address of another service at which a report has just created a monitor (R45). From then on the
// address works like one that a person added.

/** Binds the address to the monitor. Never throws: if this fails, the next report at the address tries again. */
const createAddressKeeper =
  ({ context, committer, keyring, log }: IntakeParts) =>
  ({ applicationId, application }: Caller, address: OldAddress, monitorKey: string): void => {
    const owner = { id: applicationId, slug: application };
    try {
      const kept = committer.one((now) =>
        addOldAddress(context, { address, owner, monitorKey, prefix: null }, now, false),
      );
      if (isRefusal(kept) || kept.done !== "added") return;
      keyring.forget();
      log("info", "address_added", { application, monitor: monitorKey, address: address.shown, number: kept.id });
    } catch (error) {
      committer.failed(error);
    }
  };

function outputRulesOf({ applications }: Policy, application: string): OutputRules | null {
  const { keepOutput: keep = false, mask = [] } = applications.get(application) ?? {};
  return keep || mask.length > 0 ? { keep, hide: hiderOf(mask) } : null;
}

// Below: counts of what came in since the start, as plain numbers for `/metrics`. Counting a report costs one addition.

/** The kinds under which accepted reports are counted. A `repeat` repeats an idempotency key (R11). */
export const REPORT_KINDS = ["heartbeat", "start", "complete", "fail", "log", "repeat"] as const;

export type ReportKind = (typeof REPORT_KINDS)[number];

export interface SeenIntake {
  readonly reports: Readonly<Record<ReportKind, number>>;
  readonly batchReports: Distribution;
  /** How many seconds each transaction with reports took, from its beginning until it was on disk. */
  readonly batchSeconds: Distribution;
}

const BATCH_REPORTS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];
const BATCH_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

function createIntakeCounts() {
  const reports = Object.fromEntries(REPORT_KINDS.map((kind) => [kind, 0])) as Record<ReportKind, number>;
  const batchReports = createDistribution(BATCH_REPORTS);
  const batchSeconds = createDistribution(BATCH_SECONDS);
  return {
    /** Counts the reports of one transaction. `took` is how long the transaction took, in milliseconds. */
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

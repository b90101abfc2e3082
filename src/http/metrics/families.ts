// The table of all metrics that `/metrics` shows, named by Prometheus' conventions. No label holds a secret, and only a
// bounded number of monitors appears in labels.

import type { Distribution } from "../../domain/distribution.ts";
import type { RefusalCode } from "../../domain/errors.ts";
import { type Instant, SECOND } from "../../domain/time.ts";
import type { SelfPingHealth } from "../../engine/api.ts";
import type { Measures } from "../../engine/health/own-health.ts";
import type { MeasuredMonitor, MeasuresRead } from "../../views/measures.ts";

/**
 * The facts that one scrape shows. They are gathered before the first metric is written, so that all metrics are of one
 * moment.
 */
export interface Seen {
  readonly engine: Measures;
  readonly reading: MeasuresRead;
  readonly isReady: boolean;
  readonly refusals: Readonly<Record<RefusalCode, number>>;
  /**
   * How attempts to send have ended since the start of the process: for each destination, how often each ending came.
   */
  readonly endings: ReadonlyMap<string, Readonly<Record<string, number>>>;
  /**
   * How the pings arrive by which this rollcall reports to another monitoring service; `null` when no such service is
   * configured.
   */
  readonly selfPing: SelfPingHealth | null;
  readonly machine: SeenMachine;
}

/** Facts about the process, and about the disk on which the database is. */
export interface SeenMachine {
  readonly version: string;
  /** The release of the time zone database that is used, such as `2026b`, and where it comes from. */
  readonly zoneRules: Readonly<{ version: string; origin: string }>;
  readonly startedAt: Instant;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly descriptors: { readonly inUse: number; readonly limit: number } | null;
  /** How many connections were closed since the start because too few file descriptors were free. */
  readonly connectionsClosed: number;
  /** Free bytes on the database's disk; `null` when the system does not say. */
  readonly availableBytes: number | null;
  /** When the newest backup was made; `null` when there is none yet. */
  readonly backupAt: Instant | null;
}

export type Family = MetricAbout & Readonly<{ type: "counter" | "gauge" | "histogram"; text: (seen: Seen) => string }>;

type ReadMetric<ReadMetric> = (seen: Seen) => ReadMetric;

const counter = (name: string, help: string, labels: readonly string[], read: ReadMetric<Iterable<Sample>>): Family =>
  family("counter", { name, help, labels }, read);

const gauge = (name: string, help: string, labels: readonly string[], read: ReadMetric<Iterable<Sample>>): Family =>
  family("gauge", { name, help, labels }, read);

const family = (type: "counter" | "gauge", about: MetricAbout, read: ReadMetric<Iterable<Sample>>): Family => ({
  ...about,
  type,
  text: (seen) => familyLines(type, about, read(seen)),
});

const histogram = (name: string, help: string, read: ReadMetric<Distribution>): Family => ({
  name,
  help,
  type: "histogram",
  text: (seen) => linesOfHistogram({ name, help }, read(seen)),
});

const one = (value: number | null): Sample[] => (value === null ? [] : [[[], value]]);

const yes = (value: boolean): number => Number(value);

const instantSeconds = (at: Instant | null): number | null => (at === null ? null : at / SECOND);

const entries = (counts: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(counts).map(([name, count]) => [[name], count]);

const ofMonitors = (valueIn: (monitor: MeasuredMonitor) => number | null) =>
  function* ({ reading: { monitors } }: Seen): Generator<Sample> {
    for (const monitor of monitors) {
      const value = valueIn(monitor);
      if (value !== null) yield [[monitor.application, monitor.key], value];
    }
  };

const OF_REPORTS: readonly Family[] = [
  counter(
    "rollcall_reports_total",
    "Reports that were accepted, by kind; a repeat is one whose idempotency key had been answered before",
    ["kind"],
    ({ engine }) => entries(engine.intake.reports),
  ),
  counter(
    "rollcall_refusals_total",
    "Requests of jobs and registries that were refused, by the code of the error",
    ["code"],
    ({ refusals }) => entries(refusals),
  ),
  histogram(
    "rollcall_batch_reports",
    "Reports that were written in one transaction",
    ({ engine }) => engine.intake.batchReports,
  ),
  histogram(
    "rollcall_batch_duration_seconds",
    "Time that a transaction with reports took, until it was on disk",
    ({ engine }) => engine.intake.batchSeconds,
  ),
];

const OF_ALL_MONITORS: readonly Family[] = [
  gauge("rollcall_monitors", "Monitors by status", ["application", "status"], ({ reading: { applications } }) =>
    applications.flatMap(({ application, statuses }) =>
      Object.entries(statuses).map(([status, count]): Sample => [[application, status], count]),
    ),
  ),
  gauge("rollcall_open_incidents", "Open incidents", ["application"], ({ reading: { applications } }) =>
    applications.map(({ application, openIncidents }): Sample => [[application], openIncidents]),
  ),
  gauge("rollcall_unreadable_monitors", "Monitors whose rows are damaged", ["application"], ({ reading }) =>
    reading.applications.map(({ application, unreadable }): Sample => [[application], unreadable]),
  ),
  gauge("rollcall_monitors_left_out", "Monitors that have no series of their own here", [], ({ reading }) =>
    one(reading.leftOut),
  ),
  gauge(
    "rollcall_read_timestamp_seconds",
    "When monitors and waiting messages were counted; with very many, some scrapes share one reading",
    [],
    ({ reading }) => one(instantSeconds(reading.at)),
  ),
];

const OF_ONE = ["application", "monitor"];

const OF_EACH_MONITOR: readonly Family[] = [
  gauge(
    "rollcall_monitor_label",
    "1 for each label of each monitor",
    [...OF_ONE, "label"],
    ({ reading: { monitors } }) =>
      monitors.flatMap(({ application, key, labels }) =>
        (labels?.split(" ") ?? []).map((label): Sample => [[application, key, label], 1]),
      ),
  ),
  gauge("rollcall_monitor_status", "1 for the status that the monitor has", [...OF_ONE, "status"], ({ reading }) =>
    reading.monitors.map(({ application, key, status }): Sample => [[application, key, status], 1]),
  ),
  gauge(
    "rollcall_monitor_last_success_timestamp_seconds",
    "When a run of the monitor last succeeded",
    OF_ONE,
    ofMonitors(({ succeededAt }) => instantSeconds(succeededAt)),
  ),
  gauge(
    "rollcall_monitor_last_report_timestamp_seconds",
    "When the monitor was last reported",
    OF_ONE,
    ofMonitors(({ receivedAt }) => instantSeconds(receivedAt)),
  ),
  gauge(
    "rollcall_monitor_last_run_duration_seconds",
    "How long the last run took that had a start and an end",
    OF_ONE,
    ofMonitors(({ lastRunMs }) => instantSeconds(lastRunMs)),
  ),
  gauge(
    "rollcall_monitor_next_slot_timestamp_seconds",
    "When the next run is expected, or the last was that has not come",
    OF_ONE,
    ofMonitors(({ dueAt }) => instantSeconds(dueAt)),
  ),
];

const TO = ["destination"];

const OF_DELIVERIES: readonly Family[] = [
  counter(
    "rollcall_delivery_attempts_total",
    "Attempts to deliver messages, by what became of them: sent, to be tried again, or given up",
    [...TO, "outcome"],
    ({ endings }) =>
      [...endings].flatMap(([name, counts]) =>
        Object.entries(counts).map(([outcome, count]): Sample => [[name, outcome], count]),
      ),
  ),
  gauge("rollcall_deliveries_waiting", "Messages that have not arrived yet", TO, ({ reading }) =>
    reading.destinations.map(({ name, waiting }): Sample => [[name], waiting]),
  ),
  gauge("rollcall_deliveries_given_up", "Messages of the last year that were given up", TO, ({ reading }) =>
    reading.destinations.map(({ name, givenUp }): Sample => [[name], givenUp]),
  ),
  gauge("rollcall_destination_failing", "1 while the destination takes no message", TO, ({ reading }) =>
    reading.destinations.map(({ name, isFailing }): Sample => [[name], yes(isFailing)]),
  ),
  gauge(
    "rollcall_destination_stuck",
    "1 while messages have waited there for a quarter of an hour",
    TO,
    ({ reading }) => reading.destinations.map(({ name, isStuck }): Sample => [[name], yes(isStuck)]),
  ),
];

const OF_OURSELVES: readonly Family[] = [
  gauge("rollcall_ready", "1 while a report can be recorded and an alert delivered, as /readyz says", [], (seen) =>
    one(yes(seen.isReady)),
  ),
  gauge("rollcall_last_tick_timestamp_seconds", "When the clock was last looked at for what is due", [], (seen) =>
    one(instantSeconds(seen.engine.tickedAt)),
  ),
  gauge("rollcall_last_commit_timestamp_seconds", "When something was last written", [], ({ engine }) =>
    one(instantSeconds(engine.committedAt)),
  ),
  counter("rollcall_gaps_total", "Times in which reports could have been lost through rollcall itself", [], (seen) =>
    one(seen.engine.gaps.ever),
  ),
  gauge("rollcall_last_gap_timestamp_seconds", "When the last of them ended", [], ({ engine }) =>
    one(instantSeconds(engine.gaps.last?.endedAt ?? null)),
  ),
  gauge("rollcall_last_gap_duration_seconds", "How long rollcall did not hear in the last of them", [], ({ engine }) =>
    one(instantSeconds(engine.gaps.last?.silentMs ?? null)),
  ),
  counter(
    "rollcall_self_pings_total",
    "What became of the heartbeats of [self]: sent, failed, or withheld because not all was well",
    ["outcome"],
    ({ selfPing }) => entries(selfPing?.counts ?? {}),
  ),
  gauge("rollcall_last_self_ping_timestamp_seconds", "When one of them last arrived", [], ({ selfPing }) =>
    one(instantSeconds(selfPing?.arrivedAt ?? null)),
  ),
  gauge("rollcall_database_bytes", "Size of the database", [], ({ engine }) => one(engine.database.bytes)),
  gauge("rollcall_database_free_bytes", "What of it new rows will fill first", [], ({ engine }) =>
    one(engine.database.free),
  ),
  gauge("rollcall_storage_available_bytes", "Space left on its disk", [], ({ machine }) => one(machine.availableBytes)),
  gauge("rollcall_last_backup_timestamp_seconds", "When the newest backup was made", [], ({ machine }) =>
    one(instantSeconds(machine.backupAt)),
  ),
  counter("rollcall_connections_closed_total", "Idle connections closed for want of descriptors", [], ({ machine }) =>
    one(machine.connectionsClosed),
  ),
  gauge("rollcall_build_info", "1; the version that runs", ["version"], ({ machine }) => [[[machine.version], 1]]),
  gauge("rollcall_zone_rules_info", "1; the release of zone rules in force", ["version", "origin"], ({ machine }) => [
    [[machine.zoneRules.version, machine.zoneRules.origin], 1],
  ]),
  counter("process_cpu_seconds_total", "Processor time used", [], ({ machine }) => one(machine.cpuSeconds)),
  gauge("process_resident_memory_bytes", "Memory in use", [], ({ machine }) => one(machine.residentBytes)),
  gauge("process_open_fds", "Open files and connections", [], ({ machine }) => one(machine.descriptors?.inUse ?? null)),
  gauge("process_max_fds", "The most of them there may be", [], ({ machine }) =>
    one(machine.descriptors?.limit ?? null),
  ),
  gauge("process_start_time_seconds", "When rollcall was started", [], ({ machine }) =>
    one(instantSeconds(machine.startedAt)),
  ),
];

export const FAMILIES: readonly Family[] = [
  ...OF_REPORTS,
  ...OF_ALL_MONITORS,
  ...OF_EACH_MONITOR,
  ...OF_DELIVERIES,
  ...OF_OURSELVES,
];

// The following writes Prometheus' text format, version 0.0.4:
// https://prometheus.io/docs/instrumenting/exposition_formats. We write it ourselves, because a library makes the whole
// text in one turn of the event loop, and reports would wait.

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

type MetricAbout = Readonly<{ name: string; help: string; labels?: readonly string[] }>;

export type Sample = readonly [labels: readonly string[], value: number];

/** The lines of a counter or a gauge; "" when it has no sample. */
function familyLines(type: "counter" | "gauge", about: MetricAbout, samples: Iterable<Sample>): string {
  const { name, labels = [] } = about;
  let lines = "";
  for (const [values, value] of samples) lines += `${name}${labelled(labels, values)} ${value}\n`;
  return lines === "" ? "" : familyHead(type, about) + lines;
}

function linesOfHistogram(about: MetricAbout, { bounds, counts, sum }: Distribution): string {
  const { name } = about;
  let lines = familyHead("histogram", about);
  let total = 0;
  for (const [place, count] of counts.entries()) {
    total += count;
    lines += `${name}_bucket{le="${bounds[place] ?? "+Inf"}"} ${total}\n`;
  }
  return `${lines}${name}_sum ${sum}\n${name}_count ${total}\n`;
}

const familyHead = (type: string, { name, help }: MetricAbout): string =>
  `# HELP ${name} ${help}.\n# TYPE ${name} ${type}\n`;

const labelled = (labels: readonly string[], values: readonly string[]): string =>
  labels.length === 0 ? "" : `{${labels.map((label, place) => `${label}="${escaped(values[place]!)}"`).join(",")}}`;

/** Escapes a label's value, which may hold any character: a backslash, a quote and a line break need a backslash. */
const escaped = (text: string): string =>
  /[\\"\n]/.test(text) ? text.replace(/[\\"\n]/g, (one) => (one === "\n" ? "\\n" : `\\${one}`)) : text;

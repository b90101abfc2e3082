// Makes the plain form of a message: without names, run_ids and outputs that jobs gave (R36). It is sent when a
// receiver refused the full message, perhaps because its filter disliked such a text. An alert keeps the job's message
// and links in its data, but channels leave them out.

import { isPlainMonitorKey } from "../monitor-key.ts";
import type { AlertData, MonitorNames } from "./alert.ts";
import { isAlert, type Message } from "./message.ts";
import type { ListedMonitor, NoticeData } from "./notice.ts";
import type { TestData } from "./test-message.ts";

/**
 * How many monitors a plain notice lists at most, and how many runs or messages of each monitor. The full notice may
 * have been refused because it was too long.
 */
const LISTED_MAX = 50;

/**
 * Returns the plain form of a message. The key stays in `monitorKey`, so programs still know the job. A digest is
 * returned as it is: without the names it would say nothing.
 */
export function plainForm(message: Message): Message {
  if (isAlert(message)) return { ...message, data: plainAlert(message.data) };
  if (message.type === "monitor.digest") return message;
  return message.type === "service.notice"
    ? { ...message, data: plainNotice(message.data) }
    : { ...message, data: plainTest(message.data) };
}

const plainAlert = (data: AlertData): AlertData => ({
  ...data,
  name: plainName(data.monitorKey, `the job of incident ${data.incidentId}`),
  formerly: data.formerly != null && isPlainMonitorKey(data.formerly.monitorKey) ? plainNames(data.formerly) : null,
  runId: null,
  runsOn: null,
  output: null,
  outputAt: null,
  // The reason may repeat a text of the job, so the error code replaces it.
  refusedReport: data.refusedReport && { ...data.refusedReport, reason: data.refusedReport.error },
});

const plainNames = ({ monitorKey }: MonitorNames): MonitorNames => ({ monitorKey, name: monitorKey });

const plainTest = (data: TestData): TestData => ({
  ...data,
  name: data.monitorKey === null ? null : plainName(data.monitorKey, "the job of this drill"),
  links: {},
});

function plainNotice(data: NoticeData): NoticeData {
  const { notice } = data;
  switch (notice.kind) {
    case "unheard": {
      const monitors = plainMonitors(notice.monitors, ({ runs }) => ({ runs: runs.slice(0, LISTED_MAX) }));
      return { ...data, notice: { ...notice, monitors } };
    }
    case "refused":
    case "storage": {
      const monitors = plainMonitors(notice.monitors, ({ refused }) => ({
        refused: refused.slice(0, LISTED_MAX).map((one) => ({ ...one, reason: one.error, message: null })),
      }));
      return { ...data, notice: { ...notice, monitors } };
    }
    case "undelivered":
    case "failing": {
      const monitors = plainMonitors(notice.monitors, ({ messages }) => ({ messages: messages.slice(0, LISTED_MAX) }));
      return { ...data, notice: { ...notice, answer: null, monitors } };
    }
    case "report": {
      const plain = (monitors: typeof notice.flaky) => plainMonitors(monitors, () => ({}));
      const { flaky, slow, slower, untold } = notice;
      const lists = { flaky: plain(flaky), slow: plain(slow), slower: plain(slower), untold: plain(untold) };
      return { ...data, notice: { ...notice, ...lists } };
    }
    case "clock":
      return data;
    case "backup":
      return { ...data, notice: { ...notice, reason: "the log has the reason" } };
    case "drill":
    case "unusual":
      return { ...data, notice: { ...notice, monitor: unnamed(notice.monitor) } };
    default:
      return notice satisfies never;
  }
}

const plainMonitors = <Monitor extends ListedMonitor>(
  monitors: readonly Monitor[],
  plain: (monitor: Monitor) => Partial<Monitor>,
): Monitor[] => monitors.slice(0, LISTED_MAX).map((monitor) => ({ ...unnamed(monitor), ...plain(monitor) }));

const unnamed = <Monitor extends ListedMonitor>(monitor: Monitor): Monitor => ({
  ...monitor,
  name: plainName(monitor.monitorKey, "a job"),
});

/** The key, if it has only plain letters, which no filter dislikes; otherwise the text `otherwise`. */
const plainName = (key: string, otherwise: string): string => (isPlainMonitorKey(key) ? key : otherwise);

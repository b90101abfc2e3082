// Every number that the contract or a ruling fixes. Lengths are in code points unless the name says otherwise.

import { DAY, HOUR, MINUTE, SECOND } from "./time.ts";

export const MONITOR_KEY_LENGTH = 200;
export const NAME_LENGTH = 200;
export const NOTE_LENGTH = 500;
export const LABEL_LENGTH = 40;
/** The length of all labels of a monitor together, with the spaces between them. */
export const LABELS_LENGTH = 200;
export const SCHEDULE_LENGTH = 400;
export const KEY_LABEL_LENGTH = 100;
export const RUN_ID_LENGTH = 128;
export const IDEMPOTENCY_KEY_LENGTH = 128;
export const MESSAGE_LENGTH = 1_000;
export const GRACE_SECONDS_DEFAULT = 60;
export const GRACE_SECONDS_MIN = 60;
export const MAX_RUNTIME_SECONDS_MIN = 60;
/** The shortest and the longest interval (R44). */
export const EVERY_SECONDS_MIN = 10;
export const EVERY_SECONDS_MAX = 366 * 86_400;
/** A whole number of seconds has at most nine digits (R7). */
export const SECONDS_MAX = 999_999_999;
export const MAINTENANCE_SECONDS_MIN = 60;
/** The maximum of `alert_after_misses` and `alert_after_failures` (R41). */
export const ALERT_AFTER_MAX = 1_000;

/** How many reports a key may send in a minute and in an hour under version 1, and in a minute at the aliases (R33). */
export const V1_PER_MINUTE = 60;
export const V1_PER_HOUR = 1_000;
export const ALIAS_PER_MINUTE = 1_000;

/** The longest body that a heartbeat, start or fail may carry. The body is ignored (R9). */
export const IGNORED_BODY_BYTES = 1024 * 1024;
/** The longest body of a complete (R9). */
export const COMPLETE_BODY_BYTES = 16 * 1024;
/** The longest body of a bulk sync (R9). */
export const SYNC_BODY_BYTES = 256 * 1024;
/** The longest name and version of a source (R29). */
export const SOURCE_LENGTH = 100;
/** The most monitors in one registry (R29). */
export const REGISTRY_LENGTH = 100;
/** The most monitors in one import, which is a single transaction. */
export const IMPORTED_MAX = 2_000;
export const METADATA_BYTES = 4 * 1024;
export const METADATA_DEPTH = 3;

/** How long a request may take to arrive. Every slot closes that much later (R20). */
export const TRANSIT = 5 * SECOND;
/** A report that comes before its slot by at most this time still fills it (R20). */
export const EARLY_MAX = MINUTE;
/** The shortest wait after a gap before a doubtful slot or run is judged (R26). */
export const RETRY_AFTER_GAP = MINUTE;
/**
 * How long after its judgement an unknown slot or run is told at the latest, even if other monitors are still in doubt
 * (R26). A daily job with an hour's grace is judged within this time, so one notice covers nearly all jobs.
 */
export const UNKNOWN_NOTIFIED_WITHIN = 25 * HOUR;
/** A gap up to this length leaves in doubt only reports that were likely to come in it (R26). */
export const SHORT_GAP = MINUTE;
/** A report is likely within this distance from the time of the report before it (R26). */
export const LIKELY_WITHIN = MINUTE;
/**
 * When slots are further apart than this, a short gap excuses less, because the next slot would show a miss too late
 * (R26).
 */
export const FAR_APART = 6 * HOUR;
export const LIKELY_WITHIN_FAR_APART = 10 * SECOND;
/** The most open runs of a monitor. When there are more, the oldest become incomplete (R21). */
export const OPEN_RUNS_MAX = 100;
/** Without `maxRuntime` a run's deadline is at most this plus the grace after its start (R21). */
export const RUN_SPAN_MAX = 24 * HOUR;
/** For this long after a success of its run, a start counts as a late copy (R22). */
export const LATE_COPY_SPAN = MINUTE;
/** For this long reports with the same run_id belong to one run (R22). */
export const PAIRING_SPAN = 7 * 24 * HOUR;
/** For this long the answer to a ping with an idempotency key is repeated (R11). */
export const IDEMPOTENCY_SPAN = 7 * 24 * HOUR;
/** The oldest age of a late report that is accepted. For that long rollcall knows whether a report is a repetition. */
export const AGE_SECONDS_MAX = IDEMPOTENCY_SPAN / SECOND;
/** The longest `duration` that is accepted when the start was not heard (R43). */
export const DURATION_SECONDS_MAX = 7 * 86_400;
/** Ages are whole seconds, so two reports within one second may seem to have happened in the other order. */
export const AGE_STEP = SECOND;
/**
 * How long after a late start the run's end may come before the run is judged. Clients send stored reports in order.
 */
export const LATE_END_WITHIN = 5 * MINUTE;

/** How long the data of a deleted monitor is kept (R25). */
export const KEEP_DELETED = 7 * DAY;

export const UNDO_FOR = 10 * MINUTE;

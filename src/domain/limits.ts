// Every number the contract or a ruling fixes, in one place. Lengths are code points unless the name says otherwise.

import { DAY, HOUR, MINUTE, SECOND } from "./time.ts";

export const MONITOR_KEY_LENGTH = 200;
export const NAME_LENGTH = 200;
export const NOTE_LENGTH = 500;
export const LABEL_LENGTH = 40;
/** Of all labels of a monitor, with the spaces between them. */
export const LABELS_LENGTH = 200;
export const SCHEDULE_LENGTH = 400;
export const KEY_LABEL_LENGTH = 100;
export const RUN_ID_LENGTH = 128;
export const IDEMPOTENCY_KEY_LENGTH = 128;
export const MESSAGE_LENGTH = 1_000;
export const GRACE_SECONDS_DEFAULT = 60;
export const GRACE_SECONDS_MIN = 60;
export const MAX_RUNTIME_SECONDS_MIN = 60;
/** R44: the shortest and the longest interval. */
export const EVERY_SECONDS_MIN = 10;
export const EVERY_SECONDS_MAX = 366 * 86_400;
/** R7: a whole number of seconds has at most nine digits. */
export const SECONDS_MAX = 999_999_999;
export const MAINTENANCE_SECONDS_MIN = 60;
/** R41: the maximum of `alert_after_misses` and `alert_after_failures`. */
export const ALERT_AFTER_MAX = 1_000;

/** R33: reports of a key in a minute and an hour under version 1, and in a minute at the aliases. */
export const V1_PER_MINUTE = 60;
export const V1_PER_HOUR = 1_000;
export const ALIAS_PER_MINUTE = 1_000;

/** R9: the longest body that a heartbeat, start or fail may carry; we ignore it. */
export const IGNORED_BODY_BYTES = 1024 * 1024;
/** R9: the longest body of a complete. */
export const COMPLETE_BODY_BYTES = 16 * 1024;
/** R9: the longest body of a bulk sync. */
export const SYNC_BODY_BYTES = 256 * 1024;
/** R29: the longest name and version of a source. */
export const SOURCE_LENGTH = 100;
/** R29: the most monitors in one registry. */
export const REGISTRY_LENGTH = 100;
/** The most monitors in one import; one transaction takes them all. */
export const IMPORTED_MAX = 2_000;
export const METADATA_BYTES = 4 * 1024;
export const METADATA_DEPTH = 3;

/** R20: a request may take this long to arrive, so every deadline of a slot is that much later. */
export const TRANSIT = 5 * SECOND;
/** R20: the earliest a report may come before the next slot and still fill it. */
export const EARLY_MAX = MINUTE;
/** R26: the shortest wait after a gap before a doubtful slot or run is judged. */
export const RETRY_AFTER_GAP = MINUTE;
/**
 * R26: what a gap left unknown is told this long after it was judged, although other monitors are in doubt still. An
 * interval of a day with an hour's grace is judged by then, so that one notice tells of all but the slowest.
 */
export const UNKNOWN_NOTIFIED_WITHIN = 25 * HOUR;
/** R26: a gap up to this long leaves in doubt only reports that were likely to come in it. */
export const SHORT_GAP = MINUTE;
/** R26: a report is likely this close to the time of the report before it. */
export const LIKELY_WITHIN = MINUTE;
/** R26: where slots are further apart than this, a short gap excuses less: the next slot would show a miss too late. */
export const FAR_APART = 6 * HOUR;
export const LIKELY_WITHIN_FAR_APART = 10 * SECOND;
/** R21: the most open runs per monitor; when there are more, the oldest become incomplete. */
export const OPEN_RUNS_MAX = 100;
/** R21: without `maxRuntime`, a run's deadline is at most this plus the grace after its start. */
export const RUN_SPAN_MAX = 24 * HOUR;
/** R22: for this long after a success of its run, a start counts as a late copy. */
export const LATE_COPY_SPAN = MINUTE;
/** R22: for this long a run_id pairs reports. */
export const PAIRING_SPAN = 7 * 24 * HOUR;
/** R11: for this long we repeat the answer to a ping with an idempotency key. */
export const IDEMPOTENCY_SPAN = 7 * 24 * HOUR;
/** The oldest report that we take late: for as long we know whether it is a repeat. */
export const AGE_SECONDS_MAX = IDEMPOTENCY_SPAN / SECOND;
/** R43: the longest run whose `duration` counts although we did not hear its start. */
export const DURATION_SECONDS_MAX = 7 * 86_400;
/** Ages are whole seconds, so two reports of one second may seem to have happened in the other order. */
export const AGE_STEP = SECOND;
/** How long after a late start its end may come before we judge the run: clients send what they kept in order. */
export const LATE_END_WITHIN = 5 * MINUTE;

/** What is left of deleted monitors (R25). */
export const KEEP_DELETED = 7 * DAY;

export const UNDO_FOR = 10 * MINUTE;

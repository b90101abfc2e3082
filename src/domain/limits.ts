// The numbers that the contract or a rule (R1 to R47) fixes. Lengths of texts are in code points.

import { DAY, HOUR, MINUTE, SECOND } from "./time.ts";

export const MONITOR_KEY_LENGTH = 200;
export const NAME_LENGTH = 200;
export const NOTE_LENGTH = 500;
export const LABEL_LENGTH = 40;
/** The most characters in all labels of one monitor together, counting a space between two labels. */
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
/** The largest number of seconds that is accepted anywhere: it has nine digits (R7). */
export const SECONDS_MAX = 999_999_999;
export const MAINTENANCE_SECONDS_MIN = 60;
/** The largest value of `alert_after_misses` and `alert_after_failures` (R41). */
export const ALERT_AFTER_MAX = 1_000;

/** How many reports a key may send in a minute and in an hour under version 1, and in a minute at the aliases (R33). */
export const V1_PER_MINUTE = 60;
export const V1_PER_HOUR = 1_000;
export const ALIAS_PER_MINUTE = 1_000;

/** The most bytes in the body of a heartbeat, start or fail. Only a fail's reason (R9) and output (R46) are read. */
export const IGNORED_BODY_BYTES = 1024 * 1024;
/** The most bytes in the JSON body of a complete (R9). */
export const COMPLETE_BODY_BYTES = 16 * 1024;
/** The most bytes in the body of a bulk sync (R9). */
export const SYNC_BODY_BYTES = 256 * 1024;
/** The most characters in the name of a bulk sync's sender (`source`), and in its `version` (R29). */
export const SOURCE_LENGTH = 100;
/** The most monitors in one bulk sync (R29). */
export const REGISTRY_LENGTH = 100;
/** The most monitors in one import, because an import is a single transaction. */
export const IMPORTED_MAX = 2_000;
export const METADATA_BYTES = 4 * 1024;
export const METADATA_DEPTH = 3;

/** How long a report may be on its way. Each slot stays open for this time after its grace (R20). */
export const TRANSIT = 5 * SECOND;
/** How early a report may come and still fill a slot; less where slots follow each other closely (R20). */
export const EARLY_MAX = MINUTE;
/** A slot or run in doubt is judged this long after the gap at the earliest: its report may be sent again (R26). */
export const RETRY_AFTER_GAP = MINUTE;
/**
 * People are told of an unknown slot or run at most this long after it was judged, even if other monitors are still in
 * doubt (R26). By then even a daily job with an hour's grace is judged, so one notice covers nearly all jobs.
 */
export const UNKNOWN_NOTIFIED_WITHIN = 25 * HOUR;
/** A short gap, up to this length, excuses a missing report only if that report was likely to come in the gap (R26). */
export const SHORT_GAP = MINUTE;
/** The next report is likely to come as long after its slot as the last one did, plus or minus this time (R26). */
export const LIKELY_WITHIN = MINUTE;
/**
 * When slots are further apart than this, a short gap excuses a missing report only if that report was likely within
 * `LIKELY_WITHIN_FAR_APART` of the gap. A wrong excuse would be noticed only at the next slot, which is too late (R26).
 */
export const FAR_APART = 6 * HOUR;
export const LIKELY_WITHIN_FAR_APART = 10 * SECOND;
/** The most runs of one monitor that are open at once. Beyond this number the oldest become incomplete (R21). */
export const OPEN_RUNS_MAX = 100;
/** A monitor without `maxRuntime` gives a run at most this time plus the grace, counted from the run's start (R21). */
export const RUN_SPAN_MAX = 24 * HOUR;
/** A start this soon after the success of the same run may be a late copy of that run's start (R22). */
export const LATE_COPY_SPAN = MINUTE;
/** Reports with the same run_id belong to the same run only within this time (R22). */
export const PAIRING_SPAN = 7 * 24 * HOUR;
/** A ping that repeats an idempotency key within this time gets the first ping's receipt again (R11). */
export const IDEMPOTENCY_SPAN = 7 * 24 * HOUR;
/**
 * The largest `age` of a late report, in seconds. Only for this long does rollcall recognize a report that is sent
 * again.
 */
export const AGE_SECONDS_MAX = IDEMPOTENCY_SPAN / SECOND;
/** The longest `duration` that is accepted when the start was not heard (R43). */
export const DURATION_SECONDS_MAX = 7 * 86_400;
/** The precision of a late report's age. Of two reports within this time it is not known which happened first. */
export const AGE_STEP = SECOND;
/**
 * A run whose start comes late is judged this long after the arrival of that start at the earliest. Clients send stored
 * reports in order, so the end of the run may follow.
 */
export const LATE_END_WITHIN = 5 * MINUTE;

/** How long the data of a deleted monitor is kept (R25). */
export const KEEP_DELETED = 7 * DAY;

export const UNDO_FOR = 10 * MINUTE;

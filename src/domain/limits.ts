// Every number the contract or a ruling fixes, in one place. Lengths are code points unless the name says otherwise.

import { HOUR, MINUTE, SECOND } from "./time.ts";

export const MONITOR_KEY_LENGTH = 200;
export const NAME_LENGTH = 200;
export const SCHEDULE_LENGTH = 400;
export const RUN_ID_LENGTH = 128;
export const IDEMPOTENCY_KEY_LENGTH = 128;
export const MESSAGE_LENGTH = 1_000;
export const GRACE_SECONDS_DEFAULT = 60;
export const GRACE_SECONDS_MIN = 60;
export const MAX_RUNTIME_SECONDS_MIN = 60;
/** R7: a whole number of seconds has at most nine digits. */
export const SECONDS_MAX = 999_999_999;
export const MAINTENANCE_SECONDS_MIN = 60;
/** R41: of `alert_after_misses` and `alert_after_failures`. */
export const ALERT_AFTER_MAX = 1_000;

/** R9: what a heartbeat, start or fail may carry and have ignored. */
export const IGNORED_BODY_BYTES = 1024 * 1024;
/** R9: the body of a complete. */
export const COMPLETE_BODY_BYTES = 16 * 1024;
/** R9: the body of a bulk sync. */
export const SYNC_BODY_BYTES = 256 * 1024;
/** R29: of a source's name, and of its version. */
export const SOURCE_LENGTH = 100;
/** R29: monitors in one registry. */
export const REGISTRY_LENGTH = 100;
export const METADATA_BYTES = 4 * 1024;
export const METADATA_DEPTH = 3;

/** R20: a request may be this long on its way; every deadline of a slot is that much later. */
export const TRANSIT = 5 * SECOND;
/** R20: how early a report may come and still fill the next slot, at most. */
export const EARLY_MAX = MINUTE;
/** R26: how long after a gap a doubtful slot or run is judged, at the earliest. */
export const RETRY_AFTER_GAP = MINUTE;
/** R26: a gap up to this long leaves in doubt only what was likely to report then. */
export const SHORT_GAP = MINUTE;
/** R26: a report is likely this near to where the one before came. */
export const LIKELY_WITHIN = MINUTE;
/** R21: open runs watched per monitor; beyond that the oldest become incomplete. */
export const OPEN_RUNS_MAX = 100;
/** R21: a run's deadline without `maxRuntime` is at most this (and the grace) after its start. */
export const RUN_SPAN_MAX = 24 * HOUR;
/** R22: how long after a success of its run a start is taken for a late copy. */
export const LATE_COPY_SPAN = MINUTE;
/** R22: how far back a run_id pairs. */
export const PAIRING_SPAN = 7 * 24 * HOUR;
/** R11: how long the answer to a ping with an idempotency key is kept for its repeats. */
export const IDEMPOTENCY_SPAN = 7 * 24 * HOUR;

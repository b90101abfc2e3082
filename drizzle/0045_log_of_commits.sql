-- A crash may have left facts in the log that monitors' own rows had not followed yet.
UPDATE monitor_states AS s SET
  changed_at = l.changed_at,
  received_at = l.received_at,
  succeeded_at = l.succeeded_at,
  expected_at = l.expected_at,
  wake_at = l.wake_at,
  excused_by = l.excused_by,
  misses = l.misses,
  failures = l.failures,
  warned = l.warned,
  paused_manually = l.paused_manually,
  paused_until = l.paused_until,
  paused_by_discovery = l.paused_by_discovery,
  paused_by_plan = l.paused_by_plan,
  hushed = l.hushed,
  hushed_message = l.hushed_message,
  hushed_run_id = l.hushed_run_id,
  run_count = l.run_count,
  runs_that_matter = l.runs_that_matter,
  last_run_ms = l.last_run_ms,
  incident_count = l.incident_count,
  open_incident_id = l.open_incident_id,
  ping_count = l.ping_count,
  last_ping_id = l.last_ping_id,
  last_failure_ping_id = l.last_failure_ping_id,
  drift_minutes = l.drift_minutes,
  drift_reports = l.drift_reports,
  carried = l.carried,
  hushed_at = l.hushed_at,
  unheard = l.unheard,
  succeeded_after_ms = l.succeeded_after_ms,
  started_after_ms = l.started_after_ms,
  paused_by_suspension = l.paused_by_suspension,
  failed_at = l.failed_at,
  hushed_heard_at = l.hushed_heard_at
FROM (SELECT * FROM state_log WHERE id IN (SELECT max(id) FROM state_log GROUP BY monitor_id)) AS l
WHERE s.monitor_id = l.monitor_id;
--> statement-breakpoint
DROP TABLE `state_log`;
--> statement-breakpoint
CREATE TABLE `state_log` (
	`id` integer PRIMARY KEY NOT NULL,
	`body` blob NOT NULL
);
CREATE TABLE `destinations` (
	`name` text PRIMARY KEY NOT NULL,
	`fingerprint` text,
	`failing_since` integer,
	`told_alert_id` integer
);
--> statement-breakpoint
DROP INDEX `deliveries_unfinished`;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `monitor_id` integer;--> statement-breakpoint
UPDATE deliveries SET monitor_id = (SELECT monitor_id FROM incidents WHERE incidents.id = incident_id) WHERE incident_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_unsent_at` ON `deliveries` (`destination`,`outcome`,`id`) WHERE outcome is not 'sent';--> statement-breakpoint
CREATE INDEX `deliveries_unfinished` ON `deliveries` (`monitor_id`,`destination`,`recipient`,`id`) WHERE finished_at is null;--> statement-breakpoint
-- A lane was one incident and is now one monitor: of the deliveries that wait in it only the oldest may be attempted.
UPDATE deliveries SET next_attempt_at = NULL WHERE finished_at IS NULL AND next_attempt_at IS NOT NULL AND monitor_id IS NOT NULL AND EXISTS (
  SELECT 1 FROM deliveries earlier WHERE earlier.finished_at IS NULL AND earlier.monitor_id = deliveries.monitor_id
    AND earlier.destination = deliveries.destination AND earlier.recipient IS deliveries.recipient AND earlier.id < deliveries.id
);

CREATE TABLE `gaps` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`from_at` integer NOT NULL,
	`to_at` integer NOT NULL,
	`reason` text NOT NULL,
	`decided_at` integer
);
--> statement-breakpoint
CREATE TABLE `liveness` (
	`id` integer PRIMARY KEY NOT NULL,
	`last_alive_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `refused_reports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`monitor_id` integer NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`message` text,
	`setting` text NOT NULL,
	`told` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `refused_reports_by_monitor` ON `refused_reports` (`monitor_id`,`at`);--> statement-breakpoint
CREATE INDEX `refused_reports_untold` ON `refused_reports` (`id`) WHERE told = 0;--> statement-breakpoint
CREATE TABLE `unknowns` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`gap_id` integer NOT NULL,
	`monitor_id` integer NOT NULL,
	`at` integer NOT NULL,
	`slot` integer,
	`slots` integer NOT NULL,
	`run_id` text,
	`run_started_at` integer,
	`told` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `unknowns_untold` ON `unknowns` (`gap_id`) WHERE told = 0;--> statement-breakpoint
DROP INDEX `monitors_identity`;--> statement-breakpoint
ALTER TABLE `monitors` ADD `deleted_at` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `monitors_identity` ON `monitors` (`application_id`,`key`) WHERE deleted_at is null;--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_alerts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`incident_id` integer,
	`type` text NOT NULL,
	`at` integer NOT NULL,
	`data` text NOT NULL,
	FOREIGN KEY (`incident_id`) REFERENCES `incidents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `__new_alerts`("id", "incident_id", "type", "at", "data") SELECT "id", "incident_id", "type", "at", "data" FROM `alerts`;--> statement-breakpoint
DELETE FROM sqlite_sequence WHERE name = '__new_alerts';--> statement-breakpoint
UPDATE sqlite_sequence SET name = '__new_alerts' WHERE name = 'alerts';--> statement-breakpoint
DROP TABLE `alerts`;--> statement-breakpoint
ALTER TABLE `__new_alerts` RENAME TO `alerts`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `alerts_by_incident` ON `alerts` (`incident_id`);--> statement-breakpoint
CREATE TABLE `__new_deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`alert_id` integer NOT NULL,
	`incident_id` integer,
	`destination` text NOT NULL,
	`recipient` text,
	`created_at` integer NOT NULL,
	`attempts` integer NOT NULL,
	`next_attempt_at` integer,
	`claimed_at` integer,
	`finished_at` integer,
	`outcome` text,
	`answer` text,
	FOREIGN KEY (`alert_id`) REFERENCES `alerts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `__new_deliveries`("id", "alert_id", "incident_id", "destination", "recipient", "created_at", "attempts", "next_attempt_at", "claimed_at", "finished_at", "outcome", "answer") SELECT "id", "alert_id", "incident_id", "destination", "recipient", "created_at", "attempts", "next_attempt_at", "claimed_at", "finished_at", "outcome", "answer" FROM `deliveries`;--> statement-breakpoint
DELETE FROM sqlite_sequence WHERE name = '__new_deliveries';--> statement-breakpoint
UPDATE sqlite_sequence SET name = '__new_deliveries' WHERE name = 'deliveries';--> statement-breakpoint
DROP TABLE `deliveries`;--> statement-breakpoint
ALTER TABLE `__new_deliveries` RENAME TO `deliveries`;--> statement-breakpoint
CREATE INDEX `deliveries_unfinished` ON `deliveries` (`incident_id`,`destination`,`recipient`,`id`) WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX `deliveries_waiting` ON `deliveries` (`destination`,`next_attempt_at`) WHERE next_attempt_at is not null and claimed_at is null;--> statement-breakpoint
CREATE INDEX `deliveries_by_alert` ON `deliveries` (`alert_id`);--> statement-breakpoint
ALTER TABLE `monitor_states` ADD `drift_minutes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `monitor_states` ADD `drift_reports` integer DEFAULT 0 NOT NULL;
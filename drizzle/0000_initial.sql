CREATE TABLE `alerts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`incident_id` integer NOT NULL,
	`type` text NOT NULL,
	`at` integer NOT NULL,
	`data` text NOT NULL,
	FOREIGN KEY (`incident_id`) REFERENCES `incidents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `alerts_by_incident` ON `alerts` (`incident_id`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`application_id` integer NOT NULL,
	`hash` blob NOT NULL,
	`scope` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`application_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE TABLE `applications` (
	`id` integer PRIMARY KEY NOT NULL,
	`slug` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `applications_slug_unique` ON `applications` (`slug`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`alert_id` integer NOT NULL,
	`incident_id` integer NOT NULL,
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
CREATE INDEX `deliveries_unfinished` ON `deliveries` (`incident_id`,`destination`,`recipient`,`id`) WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX `deliveries_waiting` ON `deliveries` (`destination`,`next_attempt_at`) WHERE next_attempt_at is not null and claimed_at is null;--> statement-breakpoint
CREATE INDEX `deliveries_by_alert` ON `deliveries` (`alert_id`);--> statement-breakpoint
CREATE TABLE `incidents` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`monitor_id` integer NOT NULL,
	`number` integer NOT NULL,
	`opening` text NOT NULL,
	`opened_at` integer NOT NULL,
	`causes` text NOT NULL,
	`troubles` integer NOT NULL,
	`message` text,
	`run_id` text,
	`expected_at` integer,
	`missed_slots` integer NOT NULL,
	`acknowledged_at` integer,
	`remind_at` integer,
	`reminders_sent` integer NOT NULL,
	`closed_at` integer,
	`closed_by` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `incidents_identity` ON `incidents` (`monitor_id`,`number`);--> statement-breakpoint
CREATE TABLE `monitor_states` (
	`monitor_id` integer PRIMARY KEY NOT NULL,
	`changed_at` integer NOT NULL,
	`received_at` integer,
	`succeeded_at` integer,
	`expected_at` integer,
	`wake_at` integer,
	`excused_by` integer,
	`misses` integer NOT NULL,
	`failures` integer NOT NULL,
	`warned` integer NOT NULL,
	`paused_manually` integer NOT NULL,
	`paused_until` integer,
	`paused_by_discovery` integer NOT NULL,
	`paused_by_plan` integer NOT NULL,
	`hushed` integer NOT NULL,
	`hushed_message` text,
	`hushed_run_id` text,
	`run_count` integer NOT NULL,
	`runs_that_matter` integer NOT NULL,
	`last_run_ms` integer,
	`incident_count` integer NOT NULL,
	`open_incident_id` integer,
	`ping_count` integer NOT NULL,
	`last_ping_id` integer,
	`last_failure_ping_id` integer
);
--> statement-breakpoint
CREATE TABLE `monitors` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`application_id` integer NOT NULL,
	`key` text NOT NULL,
	`declared_name` text,
	`declared_schedule` text,
	`declared_timezone` text,
	`declared_grace_seconds` integer,
	`declared_max_runtime_seconds` integer,
	`schedule` text,
	`timezone` text NOT NULL,
	`grace_seconds` integer NOT NULL,
	`max_runtime_seconds` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`application_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `monitors_identity` ON `monitors` (`application_id`,`key`);--> statement-breakpoint
CREATE TABLE `pings` (
	`id` integer PRIMARY KEY NOT NULL,
	`monitor_id` integer NOT NULL,
	`number` integer NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`previous_id` integer,
	`run_row` integer,
	`attempt` integer,
	`duration_seconds` integer,
	`message` text
);
--> statement-breakpoint
CREATE TABLE `runs` (
	`id` integer PRIMARY KEY NOT NULL,
	`monitor_id` integer NOT NULL,
	`number` integer NOT NULL,
	`run_id` text,
	`attempt` integer,
	`state` text NOT NULL,
	`started_at` integer,
	`deadline` integer,
	`ended_at` integer,
	`ended_by` text,
	`duration_seconds` integer,
	`legacy` integer NOT NULL,
	`matters` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `runs_that_matter` ON `runs` (`monitor_id`) WHERE matters = 1;--> statement-breakpoint
CREATE INDEX `runs_by_run_id` ON `runs` (`monitor_id`,`run_id`) WHERE run_id is not null;
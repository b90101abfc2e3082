CREATE TABLE `pauses_by_hand` (
	`monitor_id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`until` integer,
	`name` text,
	`reason` text
);
--> statement-breakpoint
CREATE TABLE `setting_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`monitor_id` integer NOT NULL,
	`at` integer NOT NULL,
	`by` text NOT NULL,
	`source` text,
	`changes` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `setting_changes_of` ON `setting_changes` (`monitor_id`);--> statement-breakpoint
CREATE INDEX `audit_of_monitor` ON `audit` (`application`,`monitor_key`,`id`) WHERE monitor_key is not null;
CREATE TABLE `drills` (
	`monitor_id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`alert_id` integer NOT NULL,
	`outcome` text
);
--> statement-breakpoint
CREATE INDEX `deliveries_unsent` ON `deliveries` (`outcome`,`id`) WHERE outcome is not 'sent';
CREATE TABLE `paused_spans` (
	`id` integer PRIMARY KEY NOT NULL,
	`monitor_id` integer NOT NULL,
	`from_at` integer NOT NULL,
	`to_at` integer,
	`first_slot` integer
);
--> statement-breakpoint
CREATE INDEX `paused_spans_of` ON `paused_spans` (`monitor_id`,`to_at`);
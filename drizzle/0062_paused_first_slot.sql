CREATE TABLE `__new_paused_spans` (
	`id` integer PRIMARY KEY NOT NULL,
	`monitor_id` integer NOT NULL,
	`from_at` integer NOT NULL,
	`to_at` integer,
	`first_slot` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_paused_spans`("id", "monitor_id", "from_at", "to_at", "first_slot") SELECT "id", "monitor_id", "from_at", "to_at", coalesce("first_slot", "from_at") FROM `paused_spans`;--> statement-breakpoint
DROP TABLE `paused_spans`;--> statement-breakpoint
ALTER TABLE `__new_paused_spans` RENAME TO `paused_spans`;--> statement-breakpoint
CREATE INDEX `paused_spans_of` ON `paused_spans` (`monitor_id`,`to_at`);

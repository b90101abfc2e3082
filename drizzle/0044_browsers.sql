CREATE TABLE `browsers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`person_id` integer NOT NULL,
	`endpoint` text NOT NULL,
	`keys` text NOT NULL,
	`agent` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `browsers_endpoint_unique` ON `browsers` (`endpoint`);--> statement-breakpoint
CREATE INDEX `browsers_by_person` ON `browsers` (`person_id`);--> statement-breakpoint
ALTER TABLE `liveness` ADD `push_keys` text;
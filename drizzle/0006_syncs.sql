CREATE TABLE `syncs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`application_id` integer NOT NULL,
	`key_id` integer NOT NULL,
	`source` text NOT NULL,
	`version` text,
	`authoritative` integer NOT NULL,
	`first_at` integer NOT NULL,
	`at` integer NOT NULL,
	`times` integer NOT NULL,
	`outcome` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `syncs_by_source` ON `syncs` (`application_id`,`source`);--> statement-breakpoint
ALTER TABLE `monitors` ADD `source_version` text;
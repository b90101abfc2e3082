CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`person_id` integer,
	`name` text,
	`address` text,
	`action` text NOT NULL,
	`application` text,
	`monitor_key` text,
	`details` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `people` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`folded` text NOT NULL,
	`role` text NOT NULL,
	`applications` text,
	`password_hash` text,
	`created_at` integer NOT NULL,
	`signed_in_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `people_folded_unique` ON `people` (`folded`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`person_id` integer NOT NULL,
	`hash` blob NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer NOT NULL,
	`address` text NOT NULL,
	`agent` text NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_hash_unique` ON `sessions` (`hash`);--> statement-breakpoint
CREATE INDEX `sessions_by_person` ON `sessions` (`person_id`);--> statement-breakpoint
CREATE TABLE `sign_in_links` (
	`id` integer PRIMARY KEY NOT NULL,
	`person_id` integer,
	`hash` blob NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sign_in_links_hash_unique` ON `sign_in_links` (`hash`);--> statement-breakpoint
ALTER TABLE `incidents` ADD `acknowledged_by` text;
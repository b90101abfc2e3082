CREATE TABLE `admin_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hash` blob NOT NULL,
	`scope` text NOT NULL,
	`label` text,
	`created_at` integer NOT NULL,
	`used_at` integer,
	`used_from` text,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `admin_keys_hash_unique` ON `admin_keys` (`hash`);--> statement-breakpoint
ALTER TABLE `audit` ADD `admin_key_id` integer;
CREATE TABLE `old_addresses` (
	`key_id` integer PRIMARY KEY NOT NULL,
	`convention` text NOT NULL,
	`monitor_key` text,
	`prefix` text,
	`shown` text NOT NULL,
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `old_addresses_by_monitor` ON `old_addresses` (`monitor_key`);
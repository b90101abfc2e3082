CREATE TABLE `rejected_reports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`application_id` integer NOT NULL,
	`monitor_key` text NOT NULL,
	`code` text NOT NULL,
	`field` text NOT NULL,
	`reason` text NOT NULL,
	`kind` text,
	`key_id` integer NOT NULL,
	`first_at` integer NOT NULL,
	`at` integer NOT NULL,
	`times` integer NOT NULL,
	`told_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `rejected_reports_identity` ON `rejected_reports` (`application_id`,`monitor_key`,`code`,`field`);--> statement-breakpoint
CREATE INDEX `rejected_reports_untold` ON `rejected_reports` (`id`) WHERE told_at is null;
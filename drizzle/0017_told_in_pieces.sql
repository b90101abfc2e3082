CREATE TABLE `undelivered_told` (
	`destination` text PRIMARY KEY NOT NULL,
	`up_to` integer NOT NULL
);
--> statement-breakpoint
DROP INDEX `unknowns_untold`;--> statement-breakpoint
CREATE INDEX `unknowns_by_gap` ON `unknowns` (`gap_id`,`monitor_id`);--> statement-breakpoint
ALTER TABLE `unknowns` DROP COLUMN `told`;--> statement-breakpoint
DROP INDEX `deliveries_untold`;--> statement-breakpoint
UPDATE `deliveries` SET `untold` = `id` WHERE `untold` = 1;--> statement-breakpoint
CREATE INDEX `deliveries_untold` ON `deliveries` (`destination`,`untold`) WHERE untold is not null;--> statement-breakpoint
CREATE INDEX `monitors_deleted` ON `monitors` (`id`) WHERE deleted_at is not null;
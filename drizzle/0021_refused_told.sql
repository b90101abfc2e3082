CREATE TABLE `refused_told` (
	`id` integer PRIMARY KEY NOT NULL,
	`up_to` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `refused_told` (`id`, `up_to`) VALUES (1, coalesce((SELECT max(`id`) FROM `refused_reports`), 0));--> statement-breakpoint
INSERT INTO `refused_reports` (`monitor_id`, `at`, `kind`, `message`, `setting`, `told`)
  SELECT `monitor_id`, `at`, `kind`, `message`, `setting`, 0 FROM `refused_reports` WHERE `told` = 0 ORDER BY `id`;--> statement-breakpoint
DELETE FROM `refused_reports` WHERE `told` = 0 AND `id` <= (SELECT `up_to` FROM `refused_told`);--> statement-breakpoint
DROP INDEX `refused_reports_untold`;--> statement-breakpoint
ALTER TABLE `refused_reports` DROP COLUMN `told`;
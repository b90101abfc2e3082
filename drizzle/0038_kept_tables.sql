ALTER TABLE `kept_destinations` RENAME TO `kept_tables`;--> statement-breakpoint
ALTER TABLE `kept_tables` RENAME COLUMN `name` TO `path`;--> statement-breakpoint
UPDATE `kept_tables` SET `path` = 'destinations.' || `path`;

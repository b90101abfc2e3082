ALTER TABLE `monitors` ADD `maintenance` text;--> statement-breakpoint
ALTER TABLE `monitors` ADD `source` text;--> statement-breakpoint
ALTER TABLE `monitors` ADD `declared_at` integer;--> statement-breakpoint
ALTER TABLE `monitors` ADD `metadata` text;--> statement-breakpoint
CREATE INDEX `monitors_by_source` ON `monitors` (`application_id`,`source`) WHERE source is not null;--> statement-breakpoint
ALTER TABLE `pings` ADD `outcomes` text;
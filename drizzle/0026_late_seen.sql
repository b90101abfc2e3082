ALTER TABLE `incidents` ADD `missed_to` integer;--> statement-breakpoint
CREATE INDEX `pings_late` ON `pings` (`happened_at`) WHERE happened_at is not null;
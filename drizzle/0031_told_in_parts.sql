DROP INDEX `unknowns_by_gap`;--> statement-breakpoint
ALTER TABLE `unknowns` ADD `notice` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `unknowns_by_gap` ON `unknowns` (`gap_id`,`notice`,`monitor_id`);--> statement-breakpoint
ALTER TABLE `gaps` ADD `notices` integer DEFAULT 0 NOT NULL;
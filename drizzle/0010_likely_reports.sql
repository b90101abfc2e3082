ALTER TABLE `monitor_states` ADD `unheard` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `monitor_states` ADD `succeeded_after_ms` integer;--> statement-breakpoint
ALTER TABLE `monitor_states` ADD `started_after_ms` integer;--> statement-breakpoint
CREATE INDEX `unknowns_of` ON `unknowns` (`monitor_id`);
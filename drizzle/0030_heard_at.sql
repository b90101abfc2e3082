ALTER TABLE `incidents` ADD `heard_at` integer;--> statement-breakpoint
ALTER TABLE `monitor_states` ADD `hushed_heard_at` integer;--> statement-breakpoint
ALTER TABLE `state_log` ADD `hushed_heard_at` integer;
ALTER TABLE `incidents` ADD `failed_at` integer;--> statement-breakpoint
ALTER TABLE `liveness` ADD `timezone` text;--> statement-breakpoint
ALTER TABLE `monitor_states` ADD `carried` text;--> statement-breakpoint
ALTER TABLE `monitor_states` ADD `hushed_at` integer;
ALTER TABLE `incidents` ADD `late_slots` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `incidents` ADD `late_to` integer;--> statement-breakpoint
ALTER TABLE `monitor_states` ADD `failed_at` integer;--> statement-breakpoint
ALTER TABLE `pings` ADD `happened_at` integer;--> statement-breakpoint
ALTER TABLE `state_log` ADD `failed_at` integer;--> statement-breakpoint
UPDATE `monitor_states` SET `failed_at` = `received_at` WHERE `failures` > 0;--> statement-breakpoint
UPDATE `state_log` SET `failed_at` = `received_at` WHERE `failures` > 0;

ALTER TABLE `maintenances` ADD `wall_from` integer;--> statement-breakpoint
ALTER TABLE `maintenances` ADD `wall_until` integer;
ALTER TABLE `deliveries` ADD `digest_id` integer;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `untold` integer;--> statement-breakpoint
CREATE INDEX `deliveries_untold` ON `deliveries` (`destination`,`id`) WHERE untold = 1;
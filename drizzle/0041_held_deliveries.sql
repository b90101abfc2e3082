ALTER TABLE `deliveries` ADD `not_before` integer;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `held` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_held` ON `deliveries` (`not_before`) WHERE held;
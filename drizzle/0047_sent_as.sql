ALTER TABLE `deliveries` ADD `sent_as` text;--> statement-breakpoint
CREATE INDEX `deliveries_sent_as` ON `deliveries` (`sent_as`) WHERE sent_as is not null;
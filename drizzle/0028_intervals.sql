ALTER TABLE `monitors` ADD `declared_every_seconds` integer;--> statement-breakpoint
ALTER TABLE `monitors` ADD `every_seconds` integer;
ALTER TABLE `gaps` ADD `outages` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `gaps` ADD `silent_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `gaps` ADD `silent_to` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `gaps` ADD `joins_until` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `gaps` ADD `excuses` text;
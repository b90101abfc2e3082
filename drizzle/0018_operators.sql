CREATE TABLE `senders` (
	`monitor_id` integer PRIMARY KEY NOT NULL,
	`key_id` integer NOT NULL,
	`since` integer NOT NULL,
	`address` text NOT NULL,
	`agent` text
);
--> statement-breakpoint
ALTER TABLE `api_keys` ADD `label` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `last_address` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `last_agent` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `last_monitor` text;--> statement-breakpoint
ALTER TABLE `applications` ADD `name` text;--> statement-breakpoint
ALTER TABLE `applications` ADD `suspended_at` integer;--> statement-breakpoint
ALTER TABLE `applications` ADD `deleted_at` integer;--> statement-breakpoint
ALTER TABLE `monitor_states` ADD `paused_by_suspension` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `state_log` ADD `paused_by_suspension` integer DEFAULT false NOT NULL;
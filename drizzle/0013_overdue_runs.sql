ALTER TABLE `incidents` ADD `failed_run_began_at` integer;--> statement-breakpoint
ALTER TABLE `incidents` ADD `awaits_run` integer DEFAULT false NOT NULL;
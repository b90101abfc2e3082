ALTER TABLE `destinations` ADD `failing_answer` text;--> statement-breakpoint
ALTER TABLE `destinations` ADD `failing_blocked` integer;
ALTER TABLE `monitors` ADD `declared_alert_after_misses` integer;--> statement-breakpoint
ALTER TABLE `monitors` ADD `declared_alert_after_failures` integer;--> statement-breakpoint
ALTER TABLE `monitors` ADD `declared_severity` text;--> statement-breakpoint
ALTER TABLE `monitors` ADD `declared_labels` text;--> statement-breakpoint
ALTER TABLE `monitors` ADD `declared_note` text;
ALTER TABLE `people` ADD `issuer` text;--> statement-breakpoint
ALTER TABLE `people` ADD `subject` text;--> statement-breakpoint
CREATE UNIQUE INDEX `people_by_account` ON `people` (`issuer`,`subject`);
ALTER TABLE `liveness` ADD `answer_secret` text;--> statement-breakpoint
ALTER TABLE `audit` ADD `answer` text;--> statement-breakpoint
CREATE UNIQUE INDEX `audit_of_answer` ON `audit` (`answer`) WHERE answer is not null;
CREATE TABLE `idempotency_answers` (
	`id` integer PRIMARY KEY NOT NULL,
	`monitor_id` integer NOT NULL,
	`key` text NOT NULL,
	`at` integer NOT NULL,
	`answer` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `idempotency_answers_identity` ON `idempotency_answers` (`monitor_id`,`key`);
CREATE TABLE `answer_names` (
	`hash` integer NOT NULL,
	`answer_row` integer NOT NULL,
	PRIMARY KEY(`hash`, `answer_row`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `answer_names_kept` (
	`id` integer PRIMARY KEY NOT NULL,
	`up_to` integer NOT NULL,
	`old_up_to` integer NOT NULL,
	`old_since` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `answer_names_kept` (`id`, `up_to`, `old_up_to`, `old_since`) VALUES (1, 0, 0, 0);--> statement-breakpoint
DROP INDEX `idempotency_answers_identity`;
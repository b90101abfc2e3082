CREATE TABLE `run_names` (
	`hash` integer NOT NULL,
	`run_row` integer NOT NULL,
	PRIMARY KEY(`hash`, `run_row`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `run_names_kept` (
	`id` integer PRIMARY KEY NOT NULL,
	`up_to` integer NOT NULL,
	`old_up_to` integer NOT NULL,
	`old_since` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `run_names_kept` (`id`, `up_to`, `old_up_to`, `old_since`) VALUES (1, 0, 0, 0);--> statement-breakpoint
DROP INDEX `runs_by_run_id`;
CREATE TABLE `run_lengths` (
	`monitor_id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`weeks` text NOT NULL
);

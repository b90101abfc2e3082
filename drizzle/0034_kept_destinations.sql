CREATE TABLE `kept_destinations` (
	`name` text PRIMARY KEY NOT NULL,
	`settings` text NOT NULL,
	`added_at` integer NOT NULL
);

CREATE TABLE `maintenances` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`application_id` integer NOT NULL,
	`targets` text NOT NULL,
	`from_at` integer,
	`until_at` integer,
	`schedule` text,
	`timezone` text,
	`duration_seconds` integer,
	`reason` text NOT NULL,
	`at` integer NOT NULL,
	`planned_by` text,
	`ended_at` integer,
	`ended_by` text
);

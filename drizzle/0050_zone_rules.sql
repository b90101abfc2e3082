CREATE TABLE `zone_rules` (
	`name` text PRIMARY KEY NOT NULL,
	`rules` text NOT NULL
);

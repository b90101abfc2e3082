CREATE TABLE `kept` (
	`name` text PRIMARY KEY NOT NULL,
	`toml` text NOT NULL,
	`added_at` integer NOT NULL
);
--> statement-breakpoint
WITH `below` AS (
	SELECT `path` AS `stood`, `settings`, `added_at`,
		CASE WHEN `path` GLOB 'applications.*' THEN substr(`path`, 14, instr(substr(`path`, 14), '.') - 1) END AS `slug`,
		CASE WHEN `path` GLOB 'applications.*' THEN substr(`path`, 14 + instr(substr(`path`, 14), '.')) END AS `rest`
	FROM `kept_tables`
), `keyed` AS (
	SELECT *, CASE WHEN `rest` GLOB 'monitors.*.destinations' THEN substr(`rest`, 10, length(`rest`) - 22) END AS `quoted`
	FROM `below`
), `told` AS (
	SELECT *, CASE WHEN `quoted` GLOB '"*"' THEN json_extract(`quoted`, '$') ELSE `quoted` END AS `monitor` FROM `keyed`
), `placed` AS (
	SELECT `settings`, `added_at`, `stood`,
		CASE
			WHEN `stood` GLOB 'destinations.*' THEN 'destination ' || substr(`stood`, 14)
			WHEN `stood` GLOB 'team.members.*' THEN 'member ' || substr(`stood`, 14)
			WHEN `stood` = 'team.destinations' THEN 'route'
			WHEN `stood` = 'smtp' THEN 'server mail'
			WHEN `stood` = 'server.timezone' THEN 'server timezone'
			WHEN `stood` = 'server.public_url' THEN 'server url'
			WHEN `rest` = 'status_page' THEN 'status-page ' || `slug`
			WHEN `rest` = 'destinations' THEN 'route ' || `slug`
			WHEN `monitor` IS NOT NULL THEN 'route ' || `slug` || '/' || `monitor`
		END AS `name`,
		CASE
			WHEN `stood` GLOB 'team.members.*' THEN '[[team.members]]'
			WHEN `stood` = 'team.destinations' THEN '[team]'
			WHEN `stood` GLOB 'server.*' THEN '[server]'
			WHEN `rest` = 'destinations' THEN '[applications.' || `slug` || ']'
			WHEN `monitor` IS NOT NULL THEN '[applications.' || `slug` || '.monitors.' || json_quote(`monitor`) || ']'
			ELSE '[' || `stood` || ']'
		END AS `header`
	FROM `told`
)
INSERT INTO `kept` (`name`, `toml`, `added_at`)
SELECT `name`, `header` || char(10) || coalesce((
	SELECT group_concat(`line`, '' ORDER BY `id`)
	FROM (
		SELECT `id`,
			CASE WHEN `key` <> '' THEN `key` WHEN `stood` GLOB 'server.*' THEN substr(`stood`, 8) ELSE 'destinations' END ||
			' = ' ||
			CASE
				WHEN `key` IN ('', 'to', 'turns', 'environments', 'quiet', 'jobs', 'events') AND `stood` NOT GLOB 'server.*' THEN '[' || coalesce((
					SELECT group_concat(json_quote(trim(`word`.`value`, char(32, 9, 10, 13))), ', ' ORDER BY `word`.`id`)
					FROM json_each('[' || replace(json_quote(`setting`.`value`), ',', '","') || ']') AS `word`
					WHERE trim(`setting`.`value`, char(32, 9, 10, 13)) <> ''
				), '') || ']'
				WHEN `stood` = 'smtp' AND `key` = 'port' AND `value` <> '' AND `value` NOT GLOB '*[^0-9]*' THEN CAST(`value` AS integer)
				WHEN `key` = 'messages' AND `value` IN ('true', 'false') THEN `value`
				ELSE replace(json_quote(`value`), char(127), '\u007f')
			END ||
			char(10) AS `line`
		FROM json_each(`settings`) AS `setting`
	)
), ''), `added_at`
FROM `placed` WHERE `name` IS NOT NULL;
--> statement-breakpoint
INSERT OR IGNORE INTO `kept` (`name`, `toml`, `added_at`)
SELECT 'route', '[team]' || char(10) || 'destinations = [' || group_concat(json_quote(substr(`name`, 13)), ', ' ORDER BY `added_at`, `name`) || ']' || char(10), min(`added_at`)
FROM `kept` WHERE `name` GLOB 'destination *' HAVING count(*) > 0;
--> statement-breakpoint
DROP TABLE `kept_tables`;

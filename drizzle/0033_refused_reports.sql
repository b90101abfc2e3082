ALTER TABLE `refused_reports` RENAME TO `rate_limited_reports`;--> statement-breakpoint
CREATE TABLE `refused_reports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`application_id` integer NOT NULL,
	`monitor_key` text NOT NULL,
	`code` text NOT NULL,
	`field` text NOT NULL,
	`failed` integer NOT NULL,
	`reason` text NOT NULL,
	`kind` text,
	`message` text,
	`key_id` integer NOT NULL,
	`first_at` integer NOT NULL,
	`at` integer NOT NULL,
	`times` integer NOT NULL,
	`news` integer NOT NULL,
	`told_at` integer
);
--> statement-breakpoint
INSERT INTO `refused_reports` (`application_id`, `monitor_key`, `code`, `field`, `failed`, `reason`, `kind`, `key_id`, `first_at`, `at`, `times`, `news`, `told_at`)
  SELECT `application_id`, `monitor_key`, `code`, iif(`code` = 'STORAGE_UNAVAILABLE', '', `field`), `kind` IS 'fail', `reason`, `kind`, `key_id`, `first_at`, `at`, `times`,
    iif(`told_at` IS NULL AND (`kind` IS 'fail' OR `code` <> 'STORAGE_UNAVAILABLE'), 2, 1), iif(`kind` IS 'fail', `told_at`, NULL)
  FROM `rejected_reports` ORDER BY `id`;--> statement-breakpoint
INSERT INTO `refused_reports` (`application_id`, `monitor_key`, `code`, `field`, `failed`, `reason`, `kind`, `message`, `key_id`, `first_at`, `at`, `times`, `news`, `told_at`)
  SELECT m.`application_id`, m.`key`, 'RATE_LIMIT_EXCEEDED', r.`setting`, r.`kind` = 'fail', r.`setting` || ': more came with its key than it allows', r.`kind`,
    (SELECT f.`message` FROM `rate_limited_reports` f WHERE f.`monitor_id` = r.`monitor_id` AND f.`setting` = r.`setting` AND f.`kind` = 'fail' AND r.`kind` = 'fail' AND f.`message` IS NOT NULL ORDER BY f.`at` DESC LIMIT 1),
    coalesce((SELECT s.`key_id` FROM `senders` s WHERE s.`monitor_id` = m.`id`), 0),
    (SELECT min(f.`at`) FROM `rate_limited_reports` f WHERE f.`monitor_id` = r.`monitor_id` AND f.`setting` = r.`setting` AND (f.`kind` = 'fail') = (r.`kind` = 'fail')),
    max(r.`at`), count(*), iif(max(r.`id`) > (SELECT `up_to` FROM `refused_told`), 2, 1),
    iif(r.`kind` = 'fail', max(iif(r.`id` <= (SELECT `up_to` FROM `refused_told`), r.`at`, NULL)), NULL)
  FROM `rate_limited_reports` r JOIN `monitors` m ON m.`id` = r.`monitor_id` WHERE m.`deleted_at` IS NULL
  GROUP BY r.`monitor_id`, r.`setting`, r.`kind` = 'fail';--> statement-breakpoint
UPDATE `refused_reports` SET `news` = `id` + 1 WHERE `news` = 2;--> statement-breakpoint
UPDATE `refused_told` SET `up_to` = 1;--> statement-breakpoint
DROP TABLE `rate_limited_reports`;--> statement-breakpoint
DROP TABLE `rejected_reports`;--> statement-breakpoint
CREATE UNIQUE INDEX `refused_reports_identity` ON `refused_reports` (`application_id`,`monitor_key`,`code`,`field`,`failed`);--> statement-breakpoint
CREATE INDEX `refused_reports_news` ON `refused_reports` (`news`,`failed`);--> statement-breakpoint
CREATE INDEX `refused_reports_by_at` ON `refused_reports` (`at`);--> statement-breakpoint
UPDATE `alerts` SET `data` = json_set(`data`, '$.notice.monitors', json((
  SELECT json_group_array(json_set(m.value, '$.watched', json('true'), '$.refused', json(iif(
    json_array_length(m.value, '$.fails') = 0,
    json_array(json_object('at', `data` ->> '$.notice.to', 'report', 'heartbeat', 'error', 'RATE_LIMIT_EXCEEDED',
      'field', `data` ->> '$.notice.settings[0]', 'reason', 'more came with its key than the rate limit allows',
      'message', NULL, 'firstAt', `data` ->> '$.notice.from', 'times', m.value ->> '$.minutes')),
    (SELECT json_group_array(json_object('at', f.value ->> '$.at', 'report', 'fail', 'error', 'RATE_LIMIT_EXCEEDED',
      'field', `data` ->> '$.notice.settings[0]', 'reason', 'more came with its key than the rate limit allows',
      'message', f.value ->> '$.message', 'firstAt', f.value ->> '$.at', 'times', 1)) FROM json_each(m.value, '$.fails') f)
  )))) FROM json_each(`data`, '$.notice.monitors') m)))
  WHERE `incident_id` IS NULL AND `type` = 'service.notice' AND json_valid(`data`) AND `data` ->> '$.notice.kind' = 'refused';--> statement-breakpoint
UPDATE `alerts` SET `data` = json_set(`data`, '$.notice.kind', 'refused')
  WHERE `incident_id` IS NULL AND `type` = 'service.notice' AND json_valid(`data`) AND `data` ->> '$.notice.kind' = 'rejected';

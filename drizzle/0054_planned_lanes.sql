DROP INDEX `deliveries_unfinished`;--> statement-breakpoint
DROP INDEX `deliveries_held`;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `due_at` integer;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `why` text;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `via` text;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `from_at` integer;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `stands` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE `deliveries` SET `due_at` = coalesce(`not_before`, `created_at`), `next_attempt_at` = iif(`held`, `not_before`, `next_attempt_at`);--> statement-breakpoint
-- What a pause by hand took back waits for its end from now on.
UPDATE `deliveries` SET `finished_at` = NULL, `outcome` = NULL, `answer` = NULL, `due_at` = NULL, `why` = 'paused'
WHERE `outcome` = 'not_sent' AND `answer` = 'the job was paused before this was due'
  AND EXISTS (SELECT 1 FROM `incidents` i WHERE i.`id` = `deliveries`.`incident_id` AND i.`closed_at` IS NULL AND i.`acknowledged_at` IS NULL)
  AND NOT EXISTS (SELECT 1 FROM `deliveries` later WHERE later.`alert_id` = `deliveries`.`alert_id` AND later.`id` > `deliveries`.`id`
    AND later.`destination` = `deliveries`.`destination` AND later.`recipient` IS `deliveries`.`recipient`);--> statement-breakpoint
-- The message by which each hearer knows of trouble that is not over, or whose end it has not heard.
UPDATE `deliveries` SET `stands` = 1 WHERE `id` IN (
  SELECT max(told.`id`) FROM `incidents` i
    CROSS JOIN `alerts` a ON a.`incident_id` = i.`id`
    CROSS JOIN `deliveries` d ON d.`alert_id` = a.`id`
    CROSS JOIN `deliveries` told ON told.`id` = iif(d.`outcome` = 'not_sent', d.`digest_id`, d.`id`)
  WHERE (i.`closed_at` IS NULL OR i.`id` IN (SELECT waiting.`incident_id` FROM `deliveries` waiting WHERE waiting.`finished_at` IS NULL))
    AND a.`type` IN ('monitor.initial_failure', 'monitor.never_executed', 'monitor.continued_failure')
    AND told.`outcome` IN ('sent', 'given_up')
  GROUP BY told.`monitor_id`, told.`destination`, told.`recipient`
);--> statement-breakpoint
ALTER TABLE `deliveries` DROP COLUMN `not_before`;--> statement-breakpoint
ALTER TABLE `deliveries` DROP COLUMN `held`;--> statement-breakpoint
CREATE INDEX `deliveries_lanes` ON `deliveries` (`monitor_id`,`destination`,`recipient`,`id`) WHERE finished_at is null or stands;

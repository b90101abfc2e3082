ALTER TABLE `pings` ADD `verdict` text;--> statement-breakpoint
ALTER TABLE `runs` ADD `verdict` text;--> statement-breakpoint
-- What was decided of earlier ends is kept nowhere; the rest follows from the incidents that they belong to.
UPDATE `runs` SET `verdict` = 'overran'
WHERE `state` = 'ended' AND `ended_by` <> 'fail' AND `deadline` < `ended_at` AND EXISTS (
  SELECT 1 FROM `incidents` i
  WHERE i.`monitor_id` = `runs`.`monitor_id` AND instr(i.`causes`, '"unfinished"') > 0
    AND i.`opened_at` <= `runs`.`ended_at` AND (i.`closed_at` IS NULL OR i.`closed_at` >= `runs`.`deadline`)
);--> statement-breakpoint
-- A success would have closed an incident that is about results alone.
UPDATE `pings` SET `verdict` = CASE
  WHEN `happened_at` IS NULL AND EXISTS (
    SELECT 1 FROM `incidents` i
    WHERE i.`monitor_id` = `pings`.`monitor_id` AND (
      (i.`causes` = '["outcome"]' AND i.`opened_at` <= `pings`.`at` AND (i.`closed_at` IS NULL OR i.`closed_at` > `pings`.`at`))
      OR (i.`causes` LIKE '["outcome"%' AND i.`opened_at` = `pings`.`at`)
    )
  ) THEN 'wrong'
  WHEN EXISTS (
    SELECT 1 FROM `runs` r
    WHERE r.`id` = `pings`.`run_row` AND r.`verdict` = 'overran' AND r.`ended_at` = coalesce(`pings`.`happened_at`, `pings`.`at`)
  ) THEN 'overran'
END
WHERE `kind` IN ('heartbeat', 'complete') AND `monitor_id` IN (
  SELECT `monitor_id` FROM `incidents` WHERE instr(`causes`, '"outcome"') > 0 OR instr(`causes`, '"unfinished"') > 0
);--> statement-breakpoint
UPDATE `runs` SET `verdict` = 'wrong'
FROM `pings` p WHERE p.`verdict` = 'wrong' AND p.`run_row` = `runs`.`id` AND p.`at` = `runs`.`ended_at`;

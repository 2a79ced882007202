ALTER TABLE `deleted_zone` ADD `changed_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `zone` ADD `changed_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- As a rebuild finds it: the last step that was not of signing alone.
UPDATE `zone` SET `changed_at` = coalesce((SELECT `at` FROM `event` WHERE `stream` = `zone`.`id` AND `serial` IS NOT NULL AND `kind` <> 'zone.signed' ORDER BY `serial` DESC LIMIT 1), `created_at`);--> statement-breakpoint
UPDATE `deleted_zone` SET `changed_at` = coalesce((SELECT `at` FROM `event` WHERE `stream` = `deleted_zone`.`id` AND `serial` IS NOT NULL AND `kind` <> 'zone.signed' ORDER BY `serial` DESC LIMIT 1), `created_at`);

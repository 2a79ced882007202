ALTER TABLE `deleted_zone` ADD `changed_by` text;--> statement-breakpoint
ALTER TABLE `zone` ADD `changed_by` text;--> statement-breakpoint
-- As a rebuild finds it: who took the last step that was not of signing alone.
UPDATE `zone` SET `changed_by` = (SELECT `actor_name` FROM `event` WHERE `stream` = `zone`.`id` AND `serial` IS NOT NULL AND `kind` <> 'zone.signed' ORDER BY `serial` DESC LIMIT 1);--> statement-breakpoint
UPDATE `deleted_zone` SET `changed_by` = (SELECT `actor_name` FROM `event` WHERE `stream` = `deleted_zone`.`id` AND `serial` IS NOT NULL AND `kind` <> 'zone.signed' ORDER BY `serial` DESC LIMIT 1);

-- Why something was changed belongs to the header of an event: it is as little changed as the rest (0001).
ALTER TABLE `event` ADD `reason` text;--> statement-breakpoint
ALTER TABLE `event` ADD `reference` text;--> statement-breakpoint
ALTER TABLE `event` ADD `actor_uid` integer;--> statement-breakpoint
ALTER TABLE `role` ADD `reason_required` integer DEFAULT false NOT NULL;
--> statement-breakpoint
DROP TRIGGER `event_no_update`;
--> statement-breakpoint
CREATE TRIGGER `event_no_update` BEFORE UPDATE ON `event`
WHEN NOT (
	NEW.`payload` IS NULL
	AND NEW.`seq` = OLD.`seq` AND NEW.`stream` = OLD.`stream` AND NEW.`serial` IS OLD.`serial`
	AND NEW.`kind` = OLD.`kind` AND NEW.`at` = OLD.`at`
	AND NEW.`zone_name` IS OLD.`zone_name` AND NEW.`zone_enabled` IS OLD.`zone_enabled`
	AND NEW.`change_source` = OLD.`change_source` AND NEW.`actor_kind` IS OLD.`actor_kind`
	AND NEW.`actor_name` IS OLD.`actor_name` AND NEW.`request_id` IS OLD.`request_id`
	AND NEW.`delta` = OLD.`delta` AND NEW.`content_digest` = OLD.`content_digest`
	AND NEW.`prev_hash` = OLD.`prev_hash` AND NEW.`hash` = OLD.`hash` AND NEW.`parts` = OLD.`parts`
	AND NEW.`payload_checksum` = OLD.`payload_checksum` AND NEW.`reason` IS OLD.`reason`
	AND NEW.`reference` IS OLD.`reference` AND NEW.`actor_uid` IS OLD.`actor_uid`
	AND EXISTS (SELECT 1 FROM `event` AS `later`
		WHERE `later`.`stream` = OLD.`stream` AND `later`.`serial` IS NULL AND `later`.`seq` > OLD.`seq`
		AND `later`.`kind` IN ('zone.checkpointed', 'zone.purged')
		AND `later`.`payload` ->> '$.standIn.upToSeq' >= OLD.`seq`)
)
BEGIN
	SELECT RAISE(ABORT, 'the journal is append-only: events are never changed');
END;

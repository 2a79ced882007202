-- The journal is append-only (invariant 1). recursive_triggers must be on, or INSERT OR REPLACE would slip past.
-- What may go is the content of an event that a later checkpoint or purge of its stream stands in for.
CREATE TRIGGER `event_no_update` BEFORE UPDATE ON `event`
WHEN NOT (
	NEW.`payload` IS NULL
	AND NEW.`seq` = OLD.`seq` AND NEW.`stream` = OLD.`stream` AND NEW.`serial` IS OLD.`serial`
	AND NEW.`kind` = OLD.`kind` AND NEW.`at` = OLD.`at`
	AND NEW.`zone_name` IS OLD.`zone_name` AND NEW.`zone_enabled` IS OLD.`zone_enabled`
	AND NEW.`change_source` = OLD.`change_source` AND NEW.`actor_kind` IS OLD.`actor_kind`
	AND NEW.`actor_name` IS OLD.`actor_name` AND NEW.`request_id` IS OLD.`request_id`
	AND NEW.`delta` = OLD.`delta` AND NEW.`content_digest` = OLD.`content_digest`
	AND NEW.`prev_hash` = OLD.`prev_hash` AND NEW.`hash` = OLD.`hash`
	AND EXISTS (SELECT 1 FROM `event` AS `later`
		WHERE `later`.`stream` = OLD.`stream` AND `later`.`serial` IS NULL AND `later`.`seq` > OLD.`seq`
		AND `later`.`kind` IN ('zone.checkpointed', 'zone.purged')
		AND `later`.`payload` ->> '$.standIn.upToSeq' >= OLD.`seq`)
)
BEGIN
	SELECT RAISE(ABORT, 'the journal is append-only: events are never changed');
END;
--> statement-breakpoint
CREATE TRIGGER `event_no_delete` BEFORE DELETE ON `event`
BEGIN
	SELECT RAISE(ABORT, 'the journal is append-only: events are never deleted');
END;
--> statement-breakpoint
CREATE TRIGGER `event_delta_no_update` BEFORE UPDATE ON `event_delta`
BEGIN
	SELECT RAISE(ABORT, 'the journal is append-only: deltas are never changed');
END;
--> statement-breakpoint
CREATE TRIGGER `event_delta_no_delete` BEFORE DELETE ON `event_delta`
WHEN EXISTS (SELECT 1 FROM `event`
		WHERE `seq` = OLD.`place` / 65536 AND `delta` = `seq` AND `payload` IS NOT NULL)
	OR EXISTS (SELECT 1 FROM `event`
		WHERE `delta` = OLD.`place` / 65536 AND `delta` <> `seq` AND `payload` IS NOT NULL)
BEGIN
	SELECT RAISE(ABORT, 'the journal is append-only: the delta of an event is never deleted');
END;

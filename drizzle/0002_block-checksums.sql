-- Made by hand: rows get checksums (src/journal/checksum.ts, whose functions are known here), which stand before what
-- is large, so that a reader that needs no identities does not read them.
ALTER TABLE `event` ADD `parts` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `event` ADD `payload_checksum` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
DROP TRIGGER `event_no_update`;
--> statement-breakpoint
UPDATE `event` SET `parts` = (SELECT count(*) FROM `event_delta`
	WHERE `place` BETWEEN `delta` * 65536 AND `delta` * 65536 + 65535);
--> statement-breakpoint
UPDATE `event` SET `payload_checksum` = payload_checksum(`payload`, `parts`);
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
	AND NEW.`payload_checksum` = OLD.`payload_checksum`
	AND EXISTS (SELECT 1 FROM `event` AS `later`
		WHERE `later`.`stream` = OLD.`stream` AND `later`.`serial` IS NULL AND `later`.`seq` > OLD.`seq`
		AND `later`.`kind` IN ('zone.checkpointed', 'zone.purged')
		AND `later`.`payload` ->> '$.standIn.upToSeq' >= OLD.`seq`)
)
BEGIN
	SELECT RAISE(ABORT, 'the journal is append-only: events are never changed');
END;
--> statement-breakpoint
CREATE TABLE `event_delta_new` (
	`place` integer PRIMARY KEY NOT NULL,
	`change` integer NOT NULL,
	`layer` integer NOT NULL,
	`count` integer NOT NULL,
	`checksum` integer NOT NULL,
	`ids_checksum` integer NOT NULL,
	`records` blob NOT NULL,
	`ids` blob
) STRICT;
--> statement-breakpoint
INSERT INTO `event_delta_new`
SELECT `place`, `change`, `layer`, `count`, delta_checksum(`place`, `change`, `layer`, `count`, `records`),
	ids_checksum(`ids`, `count`), `records`, `ids` FROM `event_delta` ORDER BY `place`;
--> statement-breakpoint
DROP TRIGGER `event_delta_no_update`;
--> statement-breakpoint
DROP TRIGGER `event_delta_no_delete`;
--> statement-breakpoint
DROP TABLE `event_delta`;
--> statement-breakpoint
ALTER TABLE `event_delta_new` RENAME TO `event_delta`;
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
--> statement-breakpoint
CREATE TABLE `block_new` (
	`id` integer PRIMARY KEY NOT NULL,
	`content` integer NOT NULL,
	`first` blob NOT NULL,
	`next` blob,
	`count` integer NOT NULL,
	`user_count` integer NOT NULL,
	`checksum` integer NOT NULL,
	`ids_checksum` integer NOT NULL,
	`records` blob NOT NULL,
	`ids` blob NOT NULL
) STRICT;
--> statement-breakpoint
INSERT INTO `block_new`
SELECT `id`, `content`, `first`, `next`, `count`, `user_count`,
	block_checksum(`content`, `first`, `next`, `count`, `records`), ids_checksum(`ids`, `user_count`), `records`, `ids`
FROM (SELECT `block`.*, lead(`first`) OVER (PARTITION BY `content` ORDER BY `first`) AS `next` FROM `block`)
ORDER BY `id`;
--> statement-breakpoint
DROP TABLE `block`;
--> statement-breakpoint
ALTER TABLE `block_new` RENAME TO `block`;
--> statement-breakpoint
CREATE UNIQUE INDEX `block_first` ON `block` (`content`,`first`);

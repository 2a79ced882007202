-- The journal is append-only (invariant 1). recursive_triggers must be on, or INSERT OR REPLACE would slip past.
CREATE TRIGGER `event_no_update` BEFORE UPDATE ON `event`
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
WHEN EXISTS (SELECT 1 FROM `event` WHERE `seq` = OLD.`place` / 65536 AND `delta` = `seq`)
	OR EXISTS (SELECT 1 FROM `event` WHERE `delta` = OLD.`place` / 65536 AND `delta` <> `seq`)
BEGIN
	SELECT RAISE(ABORT, 'the journal is append-only: the delta of an event is never deleted');
END;

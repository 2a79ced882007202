CREATE TABLE `search_key` (
	`key` blob NOT NULL,
	`owner` integer NOT NULL,
	`removed` integer NOT NULL,
	PRIMARY KEY(`key`, `owner`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `search_key_owner` ON `search_key` (`owner`);--> statement-breakpoint
CREATE TABLE `search_owner` (
	`id` integer PRIMARY KEY NOT NULL,
	`zone_id` integer NOT NULL,
	`owner` blob NOT NULL,
	`removed` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `search_owner_place` ON `search_owner` (`zone_id`,`owner`);--> statement-breakpoint
CREATE TABLE `search_progress` (
	`id` integer PRIMARY KEY NOT NULL,
	`followed` integer NOT NULL,
	`recalled` integer NOT NULL,
	`zone_id` integer
) STRICT;

--> statement-breakpoint
-- The text of each search_owner, by all parts of three characters; it keeps no text.
CREATE VIRTUAL TABLE search_text USING fts5(name, content='', contentless_delete=1, tokenize='trigram', detail=none);

CREATE TABLE `event` (
	`seq` integer PRIMARY KEY NOT NULL,
	`stream` integer NOT NULL,
	`serial` integer,
	`kind` text NOT NULL,
	`at` integer NOT NULL,
	`change_source` text NOT NULL,
	`actor_kind` text,
	`actor_name` text,
	`request_id` text,
	`payload` text,
	`payload_digest` blob NOT NULL,
	`delta_digest` blob,
	`prev_hash` blob NOT NULL,
	`hash` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `event_stream_serial` ON `event` (`stream`,`serial`);--> statement-breakpoint
CREATE TABLE `event_delta` (
	`place` integer PRIMARY KEY NOT NULL,
	`change` integer NOT NULL,
	`layer` integer NOT NULL,
	`count` integer NOT NULL,
	`records` blob NOT NULL,
	`ids` blob
) STRICT;
--> statement-breakpoint
CREATE TABLE `block` (
	`id` integer PRIMARY KEY NOT NULL,
	`zone_id` integer NOT NULL,
	`first` blob NOT NULL,
	`count` integer NOT NULL,
	`records` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `block_first` ON `block` (`zone_id`,`first`);--> statement-breakpoint
CREATE TABLE `counter` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `former_name` (
	`name` text PRIMARY KEY NOT NULL,
	`last_serial` integer NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `record` (
	`id` integer PRIMARY KEY NOT NULL,
	`zone_id` integer NOT NULL,
	`owner` blob NOT NULL,
	`type` integer NOT NULL,
	`ttl` integer NOT NULL,
	`priority` integer,
	`rdata` blob NOT NULL,
	`name` text NOT NULL,
	`value` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `record_owner` ON `record` (`zone_id`,`owner`);--> statement-breakpoint
CREATE TABLE `secondary` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`address` text NOT NULL,
	`enabled` integer NOT NULL,
	`notify_key_name` text,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `secondary_name` ON `secondary` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `secondary_address` ON `secondary` (`address`);--> statement-breakpoint
CREATE TABLE `transfer` (
	`zone_name` text NOT NULL,
	`address` text NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`result` text NOT NULL,
	`incremental` integer NOT NULL,
	`serial` integer,
	`error` text,
	PRIMARY KEY(`zone_name`, `address`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `zone` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`apex` blob NOT NULL,
	`mname` text NOT NULL,
	`rname` text NOT NULL,
	`default_ttl` integer NOT NULL,
	`minimum_ttl` integer NOT NULL,
	`refresh` integer NOT NULL,
	`retry` integer NOT NULL,
	`expire` integer NOT NULL,
	`serial` integer NOT NULL,
	`description` text,
	`enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`record_count` integer NOT NULL,
	`derived_count` integer NOT NULL,
	`history_from_serial` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `zone_name` ON `zone` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `zone_apex` ON `zone` (`apex`);
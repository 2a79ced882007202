CREATE TABLE `event` (
	`seq` integer PRIMARY KEY NOT NULL,
	`stream` integer NOT NULL,
	`serial` integer,
	`kind` text NOT NULL,
	`zone_name` text,
	`zone_enabled` integer,
	`at` integer NOT NULL,
	`change_source` text NOT NULL,
	`actor_kind` text,
	`actor_name` text,
	`request_id` text,
	`payload` text,
	`delta` integer NOT NULL,
	`content_digest` blob NOT NULL,
	`prev_hash` blob NOT NULL,
	`hash` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `event_stream_serial` ON `event` (`stream`,`serial`);--> statement-breakpoint
CREATE INDEX `event_staged` ON `event` (`delta`) WHERE "event"."delta" <> "event"."seq";--> statement-breakpoint
CREATE INDEX `event_dropped` ON `event` (`stream`,`serial`,`kind`,`payload`) WHERE "event"."payload" IS NULL;--> statement-breakpoint
CREATE INDEX `event_signed` ON `event` (`stream`,`serial`) WHERE "event"."kind" = 'zone.signed' AND "event"."payload" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `event_delta` (
	`place` integer PRIMARY KEY NOT NULL,
	`change` integer NOT NULL,
	`layer` integer NOT NULL,
	`count` integer NOT NULL,
	`records` blob NOT NULL,
	`ids` blob
) STRICT;
--> statement-breakpoint
CREATE TABLE `stage` (
	`number` integer PRIMARY KEY NOT NULL,
	`zone_id` integer NOT NULL,
	`first_id` integer NOT NULL,
	`end_id` integer NOT NULL,
	`state` integer NOT NULL,
	`former_content` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `stage_place` (
	`number` integer NOT NULL,
	`id` integer NOT NULL,
	`owner` blob NOT NULL,
	PRIMARY KEY(`number`, `id`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `key_file_check` (
	`id` integer PRIMARY KEY NOT NULL,
	`sealed` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `signing_key_secret` (
	`key_id` integer PRIMARY KEY NOT NULL,
	`zone_id` integer NOT NULL,
	`sealed` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `signing_key_secret_zone` ON `signing_key_secret` (`zone_id`);--> statement-breakpoint
CREATE TABLE `token_secret` (
	`token_id` integer PRIMARY KEY NOT NULL,
	`hash` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `token_secret_hash` ON `token_secret` (`hash`);--> statement-breakpoint
CREATE TABLE `tsig_secret` (
	`key_id` integer PRIMARY KEY NOT NULL,
	`sealed` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `block` (
	`id` integer PRIMARY KEY NOT NULL,
	`content` integer NOT NULL,
	`first` blob NOT NULL,
	`count` integer NOT NULL,
	`user_count` integer NOT NULL,
	`records` blob NOT NULL,
	`ids` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `block_first` ON `block` (`content`,`first`);--> statement-breakpoint
CREATE TABLE `catalog_change` (
	`serial` integer NOT NULL,
	`change` integer NOT NULL,
	`record` blob NOT NULL,
	`member_count` integer NOT NULL,
	PRIMARY KEY(`serial`, `change`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `catalog_member` (
	`id` blob PRIMARY KEY NOT NULL,
	`record` blob NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `counter` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `deleted_zone` (
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
	`history_from_serial` integer NOT NULL,
	`content` integer NOT NULL,
	`deleted_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `deleted_zone_name` ON `deleted_zone` (`name`);--> statement-breakpoint
CREATE TABLE `dnssec_policy` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`builtin` integer NOT NULL,
	`created_at` integer NOT NULL,
	`algorithm` text NOT NULL,
	`denial` text NOT NULL,
	`split_keys` integer NOT NULL,
	`signature_validity_days` integer NOT NULL,
	`signature_refresh_days` integer NOT NULL,
	`zsk_lifetime_days` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `dnssec_policy_name` ON `dnssec_policy` (`name`);--> statement-breakpoint
CREATE TABLE `former_name` (
	`name` text PRIMARY KEY NOT NULL,
	`last_serial` integer NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `nsec3_owner` (
	`content` integer NOT NULL,
	`owner` blob NOT NULL,
	PRIMARY KEY(`content`, `owner`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `record` (
	`id` integer PRIMARY KEY NOT NULL,
	`zone_id` integer NOT NULL,
	`owner` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `role` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`builtin` integer NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `role_name` ON `role` (`name`);--> statement-breakpoint
CREATE TABLE `role_grant` (
	`id` integer PRIMARY KEY NOT NULL,
	`role_id` integer NOT NULL,
	`zone_id` integer,
	`actions` text NOT NULL,
	`record_name_pattern` text NOT NULL,
	`record_types` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `role_grant_role` ON `role_grant` (`role_id`);--> statement-breakpoint
CREATE INDEX `role_grant_zone` ON `role_grant` (`zone_id`);--> statement-breakpoint
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
CREATE TABLE `token` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`role_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `token_name` ON `token` (`name`);--> statement-breakpoint
CREATE INDEX `token_role` ON `token` (`role_id`);--> statement-breakpoint
CREATE TABLE `token_use` (
	`token_id` integer PRIMARY KEY NOT NULL,
	`last_used_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
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
CREATE INDEX `transfer_address` ON `transfer` (`address`,`at`);--> statement-breakpoint
CREATE TABLE `tsig_key` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`algorithm` text NOT NULL,
	`role_id` integer NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `tsig_key_name` ON `tsig_key` (`name`);--> statement-breakpoint
CREATE INDEX `tsig_key_role` ON `tsig_key` (`role_id`);--> statement-breakpoint
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
	`history_from_serial` integer NOT NULL,
	`content` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `zone_name` ON `zone` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `zone_apex` ON `zone` (`apex`);--> statement-breakpoint
CREATE TABLE `zone_signing` (
	`zone_id` integer PRIMARY KEY NOT NULL,
	`policy_id` integer,
	`state` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `zone_signing_policy` ON `zone_signing` (`policy_id`);
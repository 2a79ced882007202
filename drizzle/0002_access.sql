CREATE TABLE `key_file_check` (
	`id` integer PRIMARY KEY NOT NULL,
	`sealed` blob NOT NULL
) STRICT;
--> statement-breakpoint
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
CREATE TABLE `tsig_key` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`algorithm` text NOT NULL,
	`role_id` integer NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `tsig_key_name` ON `tsig_key` (`name`);--> statement-breakpoint
CREATE INDEX `tsig_key_role` ON `tsig_key` (`role_id`);
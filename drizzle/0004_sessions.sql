CREATE TABLE `session` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` blob NOT NULL,
	`token_id` integer,
	`user_name` text,
	`user_id` integer,
	`opened_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`address` text NOT NULL,
	`agent` text
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `session_hash` ON `session` (`hash`);
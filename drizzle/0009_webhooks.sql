CREATE TABLE `webhook_secret` (
	`webhook_id` integer PRIMARY KEY NOT NULL,
	`sealed` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `webhook` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`url` text NOT NULL,
	`format` text NOT NULL,
	`filter` text NOT NULL,
	`state` text NOT NULL,
	`from_seq` integer NOT NULL,
	`turn` integer NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_name` ON `webhook` (`name`);--> statement-breakpoint
CREATE TABLE `webhook_cursor` (
	`webhook_id` integer PRIMARY KEY NOT NULL,
	`turn` integer NOT NULL,
	`seq` integer NOT NULL,
	`failing_since` integer
) STRICT;

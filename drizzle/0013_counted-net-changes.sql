-- They are made again of the events, now with how many there are of these.
DROP TABLE `net_change`;
--> statement-breakpoint
DELETE FROM `net_change_part`;
--> statement-breakpoint
CREATE TABLE `net_change` (
	`id` integer PRIMARY KEY NOT NULL,
	`zone_id` integer NOT NULL,
	`from_serial` integer NOT NULL,
	`to_serial` integer NOT NULL,
	`events` integer NOT NULL,
	`signing` integer NOT NULL,
	`parts` integer NOT NULL,
	`parts_checksum` integer NOT NULL,
	`checksum` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `net_change_span` ON `net_change` (`zone_id`,`from_serial`,`to_serial`);

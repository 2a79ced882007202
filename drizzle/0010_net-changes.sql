CREATE TABLE `net_change` (
	`id` integer PRIMARY KEY NOT NULL,
	`zone_id` integer NOT NULL,
	`from_serial` integer NOT NULL,
	`to_serial` integer NOT NULL,
	`parts` integer NOT NULL,
	`checksum` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `net_change_span` ON `net_change` (`zone_id`,`from_serial`,`to_serial`);--> statement-breakpoint
CREATE TABLE `net_change_part` (
	`id` integer PRIMARY KEY NOT NULL,
	`zone_id` integer NOT NULL,
	`from_serial` integer NOT NULL,
	`to_serial` integer NOT NULL,
	`part` integer NOT NULL,
	`change` integer NOT NULL,
	`count` integer NOT NULL,
	`first` blob NOT NULL,
	`last` blob NOT NULL,
	`records_checksum` integer NOT NULL,
	`ids_checksum` integer NOT NULL,
	`checksum` integer NOT NULL,
	`records` blob NOT NULL,
	`ids` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `net_change_part_place` ON `net_change_part` (`zone_id`,`from_serial`,`to_serial`,`part`);